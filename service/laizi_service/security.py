"""Whom a server lets in: TLS with certificates that may be replaced while it runs, and tokens.

Nothing here logs or shows what a key or a token is: errors name the setting, the file and the line.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import ssl
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import grpc

from laizi_service.settings import Settings, SettingsError

__all__ = ["Certificates", "Tokens"]

_log: Final = logging.getLogger(__name__)
_SHORTEST: Final = 16
_BEARER: Final = "bearer"


class Certificates:
    """The certificate of a server with its key, and the authorities whose client certificates it takes.

    Files that changed are read anew when the next connection is made. If they are not sound, those read before stay in
    force and the log says what is wrong, once for each change: a file that is replaced before its fellow is no harm.
    """

    def __init__(self, settings: Settings) -> None:
        """Read the files that the settings name. Raises SettingsError where they are not sound."""
        names = ("tls_certificate", "tls_key", "tls_client_ca")
        self._files = {name: Path(getattr(settings, name)) for name in names if getattr(settings, name)}
        self._lock = threading.Lock()
        self._stamp = self._look()
        self._first = self._read()

    def credentials(self) -> grpc.ServerCredentials:
        """Return the credentials of a port; with authorities only clients that have a certificate of theirs get in."""
        # The types leave out that None means no change.
        replaced: Any = self._replaced
        return grpc.dynamic_ssl_server_credentials(
            self._first, replaced, require_client_authentication="tls_client_ca" in self._files
        )

    def _replaced(self) -> grpc.ServerCertificateConfiguration | None:
        """Return what the files hold where they have changed, else None. gRPC asks at each new connection."""
        with self._lock:
            stamp = self._look()
            if stamp == self._stamp:
                return None
            self._stamp = stamp
            try:
                read = self._read()
            except SettingsError as error:
                _log.error("%s; the certificates stay as they were", error)
                return None
        _log.info("read the certificates anew")
        return read

    def _look(self) -> tuple[Any, ...]:
        """What changes when a file is written or replaced, also where a link leads to another."""
        return tuple(_stamp(file) for file in self._files.values())

    def _read(self) -> grpc.ServerCertificateConfiguration:
        held = {name: _contents(name, file) for name, file in self._files.items()}
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate, key = self._files["tls_certificate"], self._files["tls_key"]
        try:
            # A key with a password would ask for it at the terminal.
            context.load_cert_chain(certificate, key, password=lambda: "")
        except (OSError, ValueError):
            message = (
                f"tls_certificate, tls_key: {certificate} and {key} are no certificate chain with its key, both in PEM"
            )
            raise SettingsError(message) from None
        if "tls_client_ca" in held:
            try:
                context.load_verify_locations(self._files["tls_client_ca"])
            except (OSError, ValueError):
                message = f"tls_client_ca: {self._files['tls_client_ca']} holds no certificates in PEM"
                raise SettingsError(message) from None
        return grpc.ssl_server_certificate_configuration(
            [(held["tls_key"], held["tls_certificate"])], held.get("tls_client_ca")
        )


class Tokens:
    """The tokens that callers may show, one a line of a file; several, so that one can follow another."""

    def __init__(self, file: str) -> None:
        """Read the file. Raises SettingsError where it is not sound."""
        self._file = Path(file)
        self._known = self._read()

    def reload(self) -> bool:
        """Read the file anew and return whether it was sound; where it is not, the tokens stay as they were."""
        try:
            self._known = self._read()
        except SettingsError as error:
            _log.error("%s; the tokens stay as they were", error)
            return False
        _log.info("read %d tokens anew", len(self._known))
        return True

    def admit(self, metadata: Iterable[tuple[str, str | bytes]]) -> bool:
        """Whether a call shows one of the tokens: ``authorization: Bearer …``."""
        shown = next((value for key, value in metadata if key == "authorization"), "")
        scheme, _, token = str(shown).partition(" ")
        digest = _digest(token.strip())
        # All are compared, and each in a time that does not depend on where it differs.
        found = [hmac.compare_digest(known, digest) for known in self._known]
        return scheme.lower() == _BEARER and any(found)

    def _read(self) -> tuple[bytes, ...]:
        lines = _contents("tokens_file", self._file).decode(errors="replace").splitlines()
        known = []
        for number, line in enumerate(lines, 1):
            token = line.strip()
            if not token or token.startswith("#"):
                continue
            if len(token) < _SHORTEST or not all("!" <= character <= "~" for character in token):
                message = f"a token is {_SHORTEST} or more printable ASCII characters without spaces"
                raise SettingsError(f"tokens_file: {self._file}:{number}: {message}")
            known.append(_digest(token))
        if not known:
            raise SettingsError(f"tokens_file: {self._file} holds no token")
        return tuple(known)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="replace")).digest()


def _stamp(file: Path) -> tuple[int, ...] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _contents(name: str, file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise SettingsError(f"{name}: {file}: {error.strerror}") from None
