"""Programs that a test starts beside the service, and the waiting for what they do."""

import contextlib
import http.client
import re
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

__all__ = ["DEPLOY", "checked", "fetch", "free_ports", "program", "samples", "until"]

DEPLOY = Path(__file__).parents[2] / "deploy"
SECONDS = 60.0

T = TypeVar("T")


def free_ports(count: int) -> list[int]:
    """Return ports of loopback that nobody listens on."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def until(condition: Callable[[], T], what: str, seconds: float = SECONDS) -> T:
    """Ask again and again until the answer is true, and return it. A machine under load only makes it longer."""
    end = time.monotonic() + seconds
    while True:
        answer = condition()
        if answer:
            return answer
        assert time.monotonic() < end, f"after {seconds:g} s still not: {what}"
        time.sleep(0.02)


def checked(*command: str | Path, cwd: Path | None = None) -> str:
    """Run a tool, which must succeed, and return what it said."""
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout


@contextlib.contextmanager
def program(command: Sequence[str | Path], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program until the context ends; its output goes into a file, which is shown when it has failed before."""
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT) as process:
        try:
            yield process
            assert process.poll() in (None, 0), f"{command[0]} ended with {process.returncode}:\n{log.read_text()}"
        finally:
            process.terminate()
            try:
                process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


def fetch(port: int, path: str) -> tuple[int, str]:
    """Ask a port of this machine for a page: its status and text; status 0 where nobody answers."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except OSError:
            return 0, ""


def samples(port: int, name: str) -> dict[frozenset[tuple[str, str]], float]:
    """Return the samples of one metric that a port exposes, by their labels."""
    found = re.findall(rf"^{name}(?:{{(.*)}})? (\S+)$", fetch(port, "/metrics")[1], re.MULTILINE)
    return {frozenset(re.findall(r'(\w+)="([^"]*)"', labels)): float(value) for labels, value in found}
