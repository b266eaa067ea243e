"""One worker process of several. Its supervisor starts it with the number of a socket that the two share:
``python -m laizi_service.worker 5``.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
import threading
from typing import Any

from laizi.errors import RulesError
from laizi_service import logs, signals
from laizi_service.instance import write_as_worker
from laizi_service.monitor import AddressInUseError
from laizi_service.server import Server
from laizi_service.settings import Settings, SettingsError

__all__ = ["main"]


def main(descriptor: int) -> None:
    """Serve with the settings that come through the socket, until SIGTERM or until the supervisor has gone."""
    with signals.kept(), socket.socket(fileno=descriptor) as supervisor:
        with supervisor.makefile(encoding="utf-8") as lines:
            plan = json.loads(lines.readline())
        settings = Settings(**plan["settings"])
        logs.configure(settings, plan["index"])
        if plan["core"] is not None:
            # Before there are threads, which take it over.
            os.sched_setaffinity(0, {plan["core"]})
        write_as_worker(plan["index"])
        try:
            server = Server(settings, of_several=True)
        except (AddressInUseError, RulesError, SettingsError) as error:
            _report(supervisor, problem=str(error))
            sys.exit(1)
        server.start()
        _report(supervisor, port=server.port, metrics_port=server.metrics_port)
        threading.Thread(target=_end_with, args=(supervisor,), daemon=True).start()
        while signal.sigwait(signals.AWAITED) == signal.SIGHUP:
            server.reload()
        _report(supervisor, state="draining")
        server.stop()


def _report(supervisor: socket.socket, **report: Any) -> None:
    # Who does not hear it has gone, and `_end_with` notes that.
    with contextlib.suppress(OSError):
        supervisor.sendall(json.dumps(report).encode() + b"\n")


def _end_with(supervisor: socket.socket) -> None:
    """Ask this process to drain when the supervisor has gone: nothing would restart or end it any more."""
    with contextlib.suppress(OSError):
        while supervisor.recv(1):
            pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main(int(sys.argv[1]))
