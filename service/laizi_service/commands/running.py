"""``laizi serve`` and ``laizi probe``: the service itself."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Callable

import click

from laizi.errors import RulesError
from laizi_service import logs
from laizi_service.commands.access import access_arguments
from laizi_service.settings import Settings, SettingsError, address

__all__ = ["probe", "serve"]


def _settings_options(function: Callable[..., None]) -> Callable[..., None]:
    for setting in reversed(Settings.describe()):
        function = click.option(
            setting.flag,
            setting.name,
            metavar="|".join(setting.choices) or setting.type.__name__.upper(),
            help=f"{setting.doc[0].upper()}{setting.doc[1:]}.  [{setting.variable}; {setting.default}]",
        )(function)
    return function


@click.command(no_args_is_help=False)
@_settings_options
@click.option(
    "--print-config", is_flag=True, help="Print the settings that would be in force, with their origin, and exit."
)
def serve(print_config: bool, **flags: str | None) -> None:
    """Run the service until SIGTERM or Ctrl-C, then drain.

    Each option can also be set by the environment variable in brackets; an option given here goes first.

    \b
    laizi serve --port 6000 --threads 8 --print-config
    """
    try:
        settings = Settings.load(os.environ, flags)
    except SettingsError as error:
        raise click.UsageError(str(error)) from None
    if print_config:
        origins = Settings.origins(os.environ, flags)
        for name, value in dataclasses.asdict(settings).items():
            click.echo(f"{name} = {value}  # {origins[name]}")
        click.echo(f"# gRPC is served on {', '.join(settings.addresses())}")
        return
    logs.configure(settings)
    # Its presence alone would change where prometheus-client keeps figures. The supervisor sets it for its workers.
    os.environ.pop("PROMETHEUS_MULTIPROC_DIR", None)
    from laizi_service.monitor import AddressInUseError
    from laizi_service.supervisor import WorkersError, supervise

    try:
        if settings.workers > 1:
            supervise(settings)
        else:
            # gRPC is loaded by the processes that serve.
            from laizi_service.server import serve

            serve(settings)
    except (AddressInUseError, RulesError, SettingsError, WorkersError) as error:
        raise click.ClickException(str(error)) from None


@click.command()
@click.argument("target", required=False)
@click.option("--service", default="", help="Ask about one service, e.g. laizi.v1.DoudizhuService.")
@click.option("--timeout", default=2.0, show_default=True, help="Seconds to wait for the answer.")
def probe(target: str | None, service: str, timeout: float) -> None:
    """Ask a running service whether it serves: exit code 0 if so, 1 if not. For container health checks.

    Without TARGET it asks where `laizi serve` would listen with the same variables (LAIZI_HOST, LAIZI_PORT).

    How it gets in is said before the command: laizi --ca ca.pem probe HOST:PORT; see laizi --help.

    \b
    laizi probe 127.0.0.1:50051
    laizi probe 127.0.0.1:50051 --service laizi.v1.MahjongService
    """
    from laizi_service.client import health

    try:
        answer = health(target or _here(), service, timeout, **access_arguments())
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    click.echo(answer)
    sys.exit(answer != "SERVING")


def _here() -> str:
    settings = Settings.load(os.environ)
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)
    return address(host, settings.port)
