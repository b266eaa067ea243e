"""Every setting of the service: its name, default, range and meaning, in one place.

A setting comes from the command line (``--max-batch-items``), else from the environment (``LAIZI_MAX_BATCH_ITEMS``),
else from its default below.

>>> Settings.load({"LAIZI_PORT": "0"}, {"threads": 2}).threads
2
"""

from __future__ import annotations

import dataclasses
import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args, get_origin, get_type_hints

__all__ = ["LogCalls", "LogFormat", "LogLevel", "Setting", "Settings", "SettingsError", "Switch", "address"]

ENVIRONMENT_PREFIX = "LAIZI_"
CLIENT_PREFIX = "LAIZI_CLIENT_"
"""How clients get in: `laizi_service.commands.access` reads these."""
MIB = 1024 * 1024

LogLevel = Literal["debug", "info", "warning", "error"]
LogFormat = Literal["text", "json"]
LogCalls = Literal["none", "slow", "errors", "all"]
Switch = Literal["on", "off"]


class SettingsError(ValueError):
    """A setting has no value that the service can run with; the text names it and says where it was given."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as the documentation and the command line present it."""

    name: str
    doc: str
    default: Any
    type: type
    choices: tuple[str, ...]
    low: float | None
    high: float | None

    @property
    def variable(self) -> str:
        """The environment variable, e.g. ``LAIZI_METRICS_PORT``."""
        return ENVIRONMENT_PREFIX + self.name.upper()

    @property
    def flag(self) -> str:
        """The command-line flag, e.g. ``--metrics-port``."""
        return "--" + self.name.replace("_", "-")

    def parse(self, raw: object, origin: str) -> Any:
        """Return the value that a text or a plain value stands for; ``origin`` names its source in errors."""
        try:
            value = self.type(raw)
        except (TypeError, ValueError):
            kind = {int: "a whole number", float: "a number"}.get(self.type, "text")
            raise SettingsError(f"{origin}: {raw!r} is not {kind}") from None
        if self.choices and value not in self.choices:
            raise SettingsError(f"{origin}: {value!r} is not one of {', '.join(self.choices)}")
        # The negation also refuses "nan", which is neither below nor above a bound.
        if self.low is not None and self.high is not None and not self.low <= value <= self.high:
            raise SettingsError(f"{origin}: {value} is outside {self.low:g} to {self.high:g}")
        return value


def setting(default: Any, doc: str, *, low: float | None = None, high: float | None = None) -> Any:
    return dataclasses.field(default=default, metadata={"doc": doc, "low": low, "high": high})


@dataclass(frozen=True, slots=True)
class Settings:
    """The service's settings. Sizes are in bytes, times in seconds; a port of 0 takes any free one."""

    host: str = setting(
        "127.0.0.1", "address to serve gRPC on; beyond loopback it takes tls_certificate, or allow_plaintext"
    )
    port: int = setting(50051, "port to serve gRPC on", low=0, high=65535)
    metrics_host: str = setting("127.0.0.1", "address to serve /metrics and /ready on")
    metrics_port: int = setting(9464, "port to serve /metrics and /ready on", low=0, high=65535)
    workers: int = setting(
        1,
        "worker processes; of several, each has a port of its own, from --port on, and one for /ready, from "
        "--metrics-port + 1 on",
        low=1,
        high=256,
    )
    pin_workers: Switch = setting(
        "on", "pin each of several workers to a core, where there are as many cores as workers"
    )
    shared_port: Switch = setting(
        "off", "let several workers share --port (SO_REUSEPORT), which spreads connections and not calls"
    )
    tls_certificate: str = setting(
        "", "file of the certificate chain (PEM), which turns TLS on; read anew when it changes"
    )
    tls_key: str = setting("", "file of the key of tls_certificate (PEM)")
    tls_client_ca: str = setting(
        "", "file of the authorities (PEM) of which every client must show a certificate (mTLS)"
    )
    tokens_file: str = setting(
        "", "file of tokens, one a line, of which every call but health must show one; SIGHUP reads it anew"
    )
    allow_plaintext: Switch = setting(
        "off", "serve without TLS beyond loopback: for a network that encrypts or is nobody else's"
    )
    threads: int = setting(8, "calls worked on at once", low=1, high=1024)
    message_seconds: float = setting(
        10.0,
        "how long a thread waits for the message of a call that is open, before it ends the call",
        low=0.1,
        high=600,
    )
    max_waiting_calls: int = setting(
        512, "calls that may wait for a thread; those beyond are sent away (UNAVAILABLE) to retry", low=1, high=100_000
    )
    batch_threads: int = setting(1, "batches and columns worked on at once, at a lower priority", low=1, high=256)
    max_waiting_batches: int = setting(
        64, "batches and columns that may wait for a thread; those beyond are sent away", low=1, high=100_000
    )
    max_streams: int = setting(256, "streams open at once; each has a thread of its own", low=1, high=4096)
    max_stream_batches: int = setting(
        16, "batches and columns under way on one stream; it is not read on beyond", low=1, high=10_000
    )
    max_message_bytes: int = setting(
        16 * MIB, "largest request message; gRPC itself refuses a larger one", low=1024, high=1024 * MIB
    )
    max_batch_items: int = setting(10_000, "most items in one batch of messages", low=1, high=1_000_000)
    max_rows: int = setting(200_000, "most rows in one call with columns", low=1, high=10_000_000)
    max_plays: int = setting(20_000, "most plays that one ListPlays may ask for", low=1, high=1_000_000)
    max_decompositions: int = setting(
        1_000, "most decompositions that one CheckHu may ask for, and how far it counts them", low=1, high=100_000
    )
    max_wild_kinds: int = setting(
        4, "most kinds of tiles that may be wild at once; each more makes the work on a hand longer", low=1, high=34
    )
    rules_folder: str = setting(
        "", "folder of rule set files (*.toml) to serve beside the presets; SIGHUP reads it anew"
    )
    rule_sets: int = setting(256, "compiled rule sets kept ready, the least recently used go first", low=1, high=65536)
    drain_seconds: float = setting(
        2.0, "how long to say NOT_SERVING and still answer, so that balancers turn away first", low=0, high=600
    )
    grace_seconds: float = setting(10.0, "how long running calls may then take to finish", low=0, high=600)
    retry_seconds: float = setting(0.2, "after how long a caller that is sent away may come back", low=0, high=60)
    log_level: LogLevel = setting("info", "least serious message to log")
    log_format: LogFormat = setting("text", "lines for people, or one JSON object a line")
    log_calls: LogCalls = setting(
        "slow", "calls that stand in the log: none, those that took slow_seconds, also those that failed, or all"
    )
    slow_seconds: float = setting(1.0, "from when on a call is slow", low=0, high=600)
    tracing: Switch = setting(
        "off", "make a span of OpenTelemetry of each unary call; the variables OTEL_… say where spans go"
    )

    def __post_init__(self) -> None:
        """Raises `SettingsError` for settings that do not go together."""
        if bool(self.tls_certificate) != bool(self.tls_key):
            raise SettingsError("tls_certificate and tls_key go together: one of them is set")
        if self.tls_client_ca and not self.tls_certificate:
            raise SettingsError("tls_client_ca needs tls_certificate and tls_key: without TLS no client shows anything")
        if not self.tls_certificate and self.allow_plaintext == "off" and not _is_loopback(self.host):
            raise SettingsError(
                f"host {self.host} is beyond loopback, where plaintext is not served: set tls_certificate and tls_key, "
                "or allow_plaintext=on"
            )
        if self.workers > 1:
            last = self.of_worker(self.workers - 1)
            if max(last.port, last.metrics_port) > 65535:
                raise SettingsError(f"workers: {self.workers} workers need more ports than there are up to 65535")

    def of_worker(self, index: int) -> Self:
        """Return the settings of one of several workers: those of a service of one process, with its own ports.

        >>> Settings(workers=2).of_worker(1).port
        50052
        """
        port = self.port + index if self.port and self.shared_port == "off" else self.port
        metrics_port = self.metrics_port + 1 + index if self.metrics_port else 0
        return dataclasses.replace(self, workers=1, port=port, metrics_port=metrics_port)

    def addresses(self) -> tuple[str, ...]:
        """Return where gRPC is served, as a balancer lists it.

        >>> Settings(workers=2).addresses()
        ('127.0.0.1:50051', '127.0.0.1:50052')
        """
        ports = [self.of_worker(index).port for index in range(self.workers)]
        return tuple(address(self.host, port) for port in dict.fromkeys(ports))

    @classmethod
    def describe(cls) -> tuple[Setting, ...]:
        """Return every setting in the order of declaration."""
        hints = get_type_hints(cls)
        return tuple(
            Setting(
                field.name,
                field.metadata["doc"],
                field.default,
                str if get_origin(hints[field.name]) is Literal else hints[field.name],
                get_args(hints[field.name]),
                field.metadata["low"],
                field.metadata["high"],
            )
            for field in dataclasses.fields(cls)
        )

    @classmethod
    def load(cls, environment: Mapping[str, str], flags: Mapping[str, Any] | None = None) -> Self:
        """Return the settings that the environment and the flags say; a flag of None was not given.

        Raises `SettingsError` for a value out of range and for a ``LAIZI_…`` variable that names no setting.
        """
        return cls(**{name: value for name, (value, _) in cls._told(environment, flags or {}).items()})

    @classmethod
    def origins(cls, environment: Mapping[str, str], flags: Mapping[str, Any] | None = None) -> dict[str, str]:
        """Return for each setting what it would be loaded from: a flag, a variable or ``default``.

        >>> Settings.origins({"LAIZI_PORT": "0"}, {"threads": 2})["port"]
        'LAIZI_PORT'
        """
        told = cls._told(environment, flags or {})
        return {setting.name: told.get(setting.name, ("", "default"))[1] for setting in cls.describe()}

    @classmethod
    def _told(cls, environment: Mapping[str, str], flags: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
        """The value and the origin of each setting that is not left at its default."""
        settings = {setting.variable: setting for setting in cls.describe()}
        ours = {name for name in environment if name.startswith(ENVIRONMENT_PREFIX)}
        unknown = sorted(name for name in ours - set(settings) if not name.startswith(CLIENT_PREFIX))
        if unknown:
            raise SettingsError(f"{unknown[0]} is no setting; there are {', '.join(settings)}")
        told = {}
        for variable, setting in settings.items():
            flag = flags.get(setting.name)
            if flag is not None:
                told[setting.name] = setting.parse(flag, setting.flag), setting.flag
            elif variable in environment:
                told[setting.name] = setting.parse(environment[variable], variable), variable
        return told


def address(host: str, port: int) -> str:
    """Return a host and a port as addresses are written.

    >>> address("::1", 50051)
    '[::1]:50051'
    """
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
