"""Services in processes of their own, as the tests of workers and of going away start and watch them."""

import contextlib
import json
import os
import re
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import grpc

from laizi.v1 import doudizhu_pb2, doudizhu_pb2_grpc, types_pb2
from laizi_service.client import channel
from laizi_service.launch import Launched, LaunchError
from tests.deploy.processes import SECONDS, fetch, until

READ_PLAY = doudizhu_pb2.ReadPlayRequest(
    rules=types_pb2.RuleSetSelector(preset="huanle"), cards=types_pb2.Cards(text="333444")
)


def port_of(address: str) -> int:
    """The port in an address or a URL."""
    return int(re.findall(r":(\d+)", address)[0])


class Service(Launched):
    """A service that a test may look into."""

    def page(self, path: str) -> tuple[int, str]:
        return fetch(port_of(self.metrics_url), path)

    def scrape(self) -> dict[str, float]:
        """Every sample by its name with labels."""
        status, text = self.page("/metrics")
        assert status == 200
        pairs = (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        return {name: float(value) for name, value in pairs}

    def workers(self) -> list[dict[str, Any]]:
        """What it tells of its workers."""
        told: list[dict[str, Any]] = json.loads(self.page("/workers")[1])
        return told

    def kill_worker(self, index: int, number: signal.Signals = signal.SIGKILL) -> int:
        """Send a signal to a worker and return its process."""
        process: int = self.workers()[index]["process"]
        os.kill(process, number)
        return process

    def kill(self) -> None:
        """End it without a warning."""
        os.kill(self.pid, signal.SIGKILL)
        with contextlib.suppress(LaunchError):
            self.wait()

    def await_successor(self, index: int, process: int) -> None:
        """Wait until another process than that serves in the place of a worker."""

        def replaced() -> bool:
            worker = self.workers()[index]
            return bool(worker["state"] == "serving" and worker["process"] != process)

        until(replaced, f"worker {index} is replaced")


class Load:
    """Threads that call without a pause. Leaving the context ends them; then ``codes`` counts what they got."""

    def __init__(self, target: str, threads: int = 4, **options: Any) -> None:
        self.codes: Counter[str] = Counter()
        self._target = target
        self._options = options
        self._done = threading.Event()
        self._threads = [threading.Thread(target=self._call) for _ in range(threads)]

    def _call(self) -> None:
        # Channels with equal options would share one connection.
        with channel(self._target, **self._options) as opened:
            stub = doudizhu_pb2_grpc.DoudizhuServiceStub(opened)
            while not self._done.is_set():
                code = code_of(stub)
                self.codes[code] += 1

    @property
    def calls(self) -> int:
        return self.codes.total()

    @property
    def failed(self) -> int:
        return self.calls - self.codes["OK"]

    def goes_on(self, calls: int) -> None:
        """Wait until as many further calls have been answered."""
        before = self.codes["OK"]
        until(lambda: self.codes["OK"] >= before + calls, f"{calls} further calls")

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join()


def code_of(stub: doudizhu_pb2_grpc.DoudizhuServiceStub) -> str:
    """Make one call, and return its status."""
    try:
        stub.ReadPlay(READ_PLAY, timeout=SECONDS)
    except grpc.RpcError as error:
        failed: Any = error
        return str(failed.code().name)
    return "OK"


@contextlib.contextmanager
def stubs(service: Service) -> Iterator[list[doudizhu_pb2_grpc.DoudizhuServiceStub]]:
    """A stub to each target alone, without retries."""
    with contextlib.ExitStack() as stack:
        yield [
            doudizhu_pb2_grpc.DoudizhuServiceStub(stack.enter_context(channel(target, retry=False)))
            for target in service.targets
        ]
