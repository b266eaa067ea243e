"""The options of ``laizi`` that say how its commands get into a running service: TLS, a certificate, a token."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from laizi_service.access import Access

__all__ = ["access", "access_arguments", "access_options"]

_PREFIX: Final = "LAIZI_CLIENT_"
_OPTIONS: Final = {
    "tls": "Encrypt the connection to a service; each of the next four does so, too.",
    "ca": "Trust the authorities in this file (PEM).",
    "certificate": "Show this certificate (PEM), to a service that asks for one.",
    "key": "The key of that certificate (PEM).",
    "server_name": "The name in the service's certificate, where it is not the target's.",
    "token_file": "Show the token in this file.",
}


def access_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give the command line these options, each also a variable ``LAIZI_CLIENT_…``; commands see them below."""
    for name, text in reversed(_OPTIONS.items()):
        variable = _PREFIX + name.upper()
        kind: dict[str, Any] = {"default": "", "metavar": "NAME" if name == "server_name" else "FILE"}
        if name == "tls":
            kind = {"is_flag": True}
        option = click.option(
            "--" + name.replace("_", "-"), name, envvar=variable, help=f"{text}  [{variable}]", **kind
        )
        function = option(function)
    return function


def access() -> Access:
    """Return how the options of the running command line say that a client gets in."""
    from laizi_service.access import Access

    return Access(**(click.get_current_context().find_object(dict) or {}))


def access_arguments() -> dict[str, Any]:
    """Return what a channel takes, as the options of the running command line say. Raises click's UsageError."""
    from laizi_service.access import AccessError

    try:
        return access().arguments()
    except AccessError as error:
        raise click.UsageError(str(error)) from None
