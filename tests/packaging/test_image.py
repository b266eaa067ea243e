"""The Dockerfile agrees with the service: its ports, its settings, its commands, and the files that the build needs."""

import re

import click

from laizi_service.cli import main
from laizi_service.settings import Settings
from tests.packaging.sources import PACKAGES, ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_the_image_exposes_the_default_ports():
    (exposed,) = re.findall(r"^EXPOSE (.*)$", DOCKERFILE, re.MULTILINE)
    assert [int(port) for port in exposed.split()] == [Settings().port, Settings().metrics_port]


def test_the_image_sets_settings_that_exist():
    environment = dict(re.findall(r"\b(LAIZI_\w+)=(\S+)", DOCKERFILE))
    settings = Settings.load(environment)
    assert (settings.host, settings.metrics_host) == ("0.0.0.0", "0.0.0.0")


def test_the_image_runs_commands_that_exist():
    (entry,) = re.findall(r'^ENTRYPOINT \["laizi"\]\nCMD \["(\w+)"\]', DOCKERFILE, re.MULTILINE)
    (probe,) = re.findall(r'HEALTHCHECK .* CMD \["laizi", "(\w+)"\]', DOCKERFILE)
    assert {entry, probe} <= {*main.list_commands(click.Context(main))}


def test_the_build_context_holds_what_the_wheel_is_built_from():
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert "*" in lines
    kept = {line.removeprefix("!") for line in lines if line.startswith("!")}
    assert kept == {"LICENSE", "README.md", "pyproject.toml", "setup.py", "proto", *PACKAGES.values()}
