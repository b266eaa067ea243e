"""The image, built for real and run as a container would run it: its user, its variables, a root without writing."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import laizi
from laizi.v1 import doudizhu_pb2, rules_pb2, types_pb2
from laizi_service.client import Client, health
from tests.deploy.processes import checked, fetch, free_ports, program, until
from tests.packaging.sources import ROOT

pytestmark = pytest.mark.registry

# In a mount namespace of its own: the root of the image, read-only, with the devices and processes of this machine.
CONTAINER = """
mount --bind "$0" "$0"
mount --rbind /dev "$0/dev"
mount -t proc proc "$0/proc"
mount -o remount,bind,ro "$0"
exec chroot "$0" "$@"
"""


class Image(NamedTuple):
    """An image: its root as a folder, and what it declares."""

    root: Path
    config: dict[str, Any]

    def command(self, *command: str, **environment: str) -> list[str | Path]:
        """Return how to run a command in the image as its user, without any rights."""
        user, group = self.config["User"].split(":")
        setpriv = (
            f"setpriv --reuid={user} --regid={group} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all"
        )
        variables = [*self.config["Env"], *(f"{name}={value}" for name, value in environment.items())]
        inside = [*shlex.split(setpriv), "env", "-i", *variables, *command]
        return ["unshare", "--mount", "sh", "-ec", CONTAINER, self.root, *inside]


class Running(NamedTuple):
    """The service in the image."""

    process: subprocess.Popen[bytes]
    port: int
    metrics_port: int
    variables: dict[str, str]


@pytest.fixture(scope="module")
def image() -> Image:
    root = subprocess.run([ROOT / ".ci" / "image"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    built = json.loads((ROOT / "build" / "image" / "image.json").read_text(encoding="utf-8"))
    return Image(Path(root), built["Docker"]["config"])


@pytest.fixture(scope="module")
def running(image: Image, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    port, metrics_port = free_ports(2)
    variables = {"LAIZI_PORT": str(port), "LAIZI_METRICS_PORT": str(metrics_port), "LAIZI_DRAIN_SECONDS": "0"}
    command = image.command(*image.config["Entrypoint"], *image.config["Cmd"], **variables)
    with program(command, tmp_path_factory.mktemp("image") / "log") as process:
        until(lambda: process.poll() is not None or fetch(metrics_port, "/ready")[0] == 200, "the service is ready")
        yield Running(process, port, metrics_port, variables)


def test_the_service_answers(running: Running):
    assert running.process.poll() is None
    with Client(f"127.0.0.1:{running.port}") as client:
        answer = client.doudizhu.ReadPlay(
            doudizhu_pb2.ReadPlayRequest(
                rules=types_pb2.RuleSetSelector(preset="huanle"),
                wilds=types_pb2.Wilds(ranks="7"),
                cards=types_pb2.Cards(text="3337"),
            )
        )
        assert (answer.legal, answer.taken) == (True, "bomb:3:4:soft")
        assert client.rules.ListRuleSets(rules_pb2.ListRuleSetsRequest()).engine_version == laizi.__version__
    assert health(f"127.0.0.1:{running.port}") == "SERVING"
    assert "laizi_hands_total" in fetch(running.metrics_port, "/metrics")[1]


def test_the_service_runs_without_rights(running: Running, image: Image):
    status = Path(f"/proc/{running.process.pid}/status").read_text(encoding="utf-8")
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    user, group = image.config["User"].split(":")
    assert set(fields["Uid"].split()) == {user}
    assert set(fields["Gid"].split()) == {group}
    assert {fields[name] for name in ("CapEff", "CapPrm", "CapBnd")} == {"0" * 16}
    mounts = Path(f"/proc/{running.process.pid}/mountinfo").read_text(encoding="utf-8")
    assert re.search(r"^\S+ \S+ \S+ \S+ / ro,", mounts, re.MULTILINE), mounts


def test_the_health_check_tells_a_service_that_runs_from_one_that_does_not(running: Running, image: Image):
    kind, *command = image.config["Healthcheck"]["Test"]
    assert kind == "CMD"
    checked(*image.command(*command, **running.variables))
    (elsewhere,) = free_ports(1)
    done = subprocess.run(
        image.command(*command, LAIZI_PORT=str(elsewhere)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    assert done.returncode == 1


def test_the_image_holds_no_compiler_and_nothing_of_the_build(image: Image):
    for name in ("gcc", "cc", "g++", "ld", "make", "cython"):
        assert not [*image.root.glob(f"*/bin/{name}"), *image.root.glob(f"*/bin/*-{name}")], name
    assert not (image.root / "src").exists()
    assert not (image.root / "wheels").exists()
    installed = {
        path.name.partition("-")[0] for path in image.root.glob("opt/laizi/lib/python*/site-packages/*.dist-info")
    }
    assert {"laizi", "grpcio"} <= installed
    assert not {"pip", "setuptools", "cython", "Cython", "pytest", "grpcio_tools"} & installed


def test_the_image_holds_nothing_of_this_machine(image: Image):
    """Neither pip's settings nor a certificate, in no layer and in no variable."""
    assert not (image.root / "etc" / "pip.conf").exists()
    assert not [path for path in (image.root / "run").rglob("*") if path.is_file()]
    assert not {entry.partition("=")[0] for entry in image.config["Env"]} & {*os.environ} - {"PATH"}
    listed = checked(sys.executable, "-m", "pip", "config", "list")
    values = re.findall(r"='(/[^']+|\w+://[^']+)'$", listed, re.MULTILINE)
    written = (ROOT / "build" / "image" / "image.json").read_text(encoding="utf-8")
    for value in values:
        assert value not in written
    sources = [path for path in (image.root / "opt").rglob("*") if path.suffix in (".py", ".cfg", ".json", ".conf", "")]
    for path in sources:
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            assert not [value for value in values if value.encode() in content], path


def test_sigterm_ends_it_well(running: Running):
    """The last one: nothing runs afterwards."""
    running.process.send_signal(signal.SIGTERM)
    assert running.process.wait(60) == 0
