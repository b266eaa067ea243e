"""What the example programs are run against, and the tools that they are built with."""

import os
import shutil
import socket
from collections.abc import Callable, Iterator

import pytest

from laizi_service.launch import Launched


@pytest.fixture(scope="session")
def services() -> Iterator[tuple[Launched, Launched]]:
    with Launched() as first, Launched() as second:
        yield first, second


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port on which nobody listens, and on which nobody begins to."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


@pytest.fixture(scope="session")
def need() -> Callable[[str, tuple[str, ...]], None]:
    """``need(part, tools)`` fails where a tool of a part is missing; with SKIP_MISSING=1 it leaves the part out."""

    def check(part: str, tools: tuple[str, ...]) -> None:
        missing = [tool for tool in tools if shutil.which(tool) is None]
        if not missing:
            return
        if os.environ.get("SKIP_MISSING", "") not in ("", "0"):
            pytest.skip(f"left out: {part}, this machine has no {', '.join(missing)}")
        pytest.fail(f"{part} needs {', '.join(missing)}: make tools test-clients installs it on Debian", pytrace=False)

    return check
