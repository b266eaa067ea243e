"""How a client gets in: TLS, a certificate and a token, from files.

The command line and the environment say it for every command that asks a service (``--ca``, ``LAIZI_CLIENT_CA`` …).

>>> from laizi_service.client import Client, channel
>>> access = Access(ca="ca.pem", token_file="token")
>>> with Client(channel("laizi.example:50051", **access.arguments())) as client:  # doctest: +SKIP
...     client.rules.ListRuleSets(rules_pb2.ListRuleSetsRequest())
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc

__all__ = ["Access", "AccessError"]


class AccessError(ValueError):
    """What a client should show cannot be shown; the text names the file and never what it holds."""


@dataclass(frozen=True, slots=True)
class Access:
    """What a client shows and trusts. Nothing set means a connection in the clear."""

    tls: bool = False
    """Encrypt, trusting the authorities that gRPC ships; any of the files below but the token's means the same."""
    ca: str = ""
    """File of the authorities to trust instead (PEM)."""
    certificate: str = ""
    """File of the client's own certificate chain (PEM), for a server that asks for one."""
    key: str = ""
    """File of the key of that certificate (PEM)."""
    server_name: str = ""
    """The name that the server's certificate must have, where it is not the target's."""
    token_file: str = ""
    """File that holds a token, which every call then shows."""

    def arguments(self) -> dict[str, Any]:
        """Return what `laizi_service.client.channel` and `aio_channel` take: ``credentials`` and ``options``.

        Raises AccessError.
        """
        options = (("grpc.ssl_target_name_override", self.server_name),) if self.server_name else ()
        return {"credentials": self._credentials(), "options": options}

    def _credentials(self) -> grpc.ChannelCredentials | None:
        if bool(self.certificate) != bool(self.key):
            raise AccessError("a client's certificate and its key go together")
        encrypted = self.tls or any((self.ca, self.certificate, self.server_name))
        if not encrypted and not self.token_file:
            return None
        if encrypted:
            base = grpc.ssl_channel_credentials(*(_read(file) for file in (self.ca, self.key, self.certificate)))
        else:
            # In the clear a token goes no further than this machine: gRPC refuses other targets.
            base = grpc.local_channel_credentials()
        if not self.token_file:
            return base
        token = (_read(self.token_file) or b"").decode(errors="replace").strip()
        if not token.isascii() or not token.isprintable() or not token:
            raise AccessError(f"{self.token_file} holds no token")
        return grpc.composite_channel_credentials(base, grpc.access_token_call_credentials(token))


def _read(file: str) -> bytes | None:
    if not file:
        return None
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise AccessError(f"{file}: {error.strerror}") from None
