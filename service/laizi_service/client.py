"""Clients for Python, blocking and asyncio: the generated stubs on one channel with the defaults that this service
deserves.

>>> from laizi_service.client import AsyncClient, Client, failure
>>> with Client("10.0.0.1:50051,10.0.0.2:50051") as client:  # doctest: +SKIP
...     client.rules.ListRuleSets(rules_pb2.ListRuleSetsRequest())
>>> async with AsyncClient("laizi.games.svc:50051") as client:  # doctest: +SKIP
...     await client.rules.ListRuleSets(rules_pb2.ListRuleSetsRequest())

A *target* is one of

* ``host:port``; where the name has several addresses, calls go to all of them in turn;
* several addresses with commas between them, ``10.0.0.1:50051,10.0.0.2:50051`` or ``[::1]:50051,[::1]:50052``;
* whatever else gRPC resolves, such as ``unix:/run/laizi.sock``.

The defaults, for every channel made here:

* ``service_config.json`` beside this module, which clients in other languages use as it is: calls spread by
  round_robin; a call that no server took (UNAVAILABLE; CANCELLED by one that goes away, grpc/grpc#41785) sent again, up
  to four attempts in all; deadlines of 5 seconds
  for calls about one hand or game and of 30 for batches and columns. They are a net: give a call the ``timeout`` that
  your game allows, which the server then knows, too. Only ``deadlines=False`` makes one longer than the net;
* a ping after 30 seconds of silence, so that a dead connection is found out before it is needed, and no middlebox
  forgets a quiet one;
* messages of up to 64 MiB, in both directions.

`laizi_service.access.Access` makes the ``credentials`` of a channel: TLS, a client's certificate, a token.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from types import TracebackType
from typing import Any, Final, Self, cast

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status

from laizi.errors import ErrorReason
from laizi.v1 import doudizhu_pb2_grpc, mahjong_pb2_grpc, rules_pb2_grpc
from laizi_service.rows import (
    byte_column,
    card_column,
    card_rows,
    count_column,
    meld_rows,
    reading_column,
    reading_rows,
    split_readings,
    tile_column,
    tile_rows,
)
from laizi_service.status import DOMAIN

__all__ = [
    "AsyncClient",
    "Client",
    "Failure",
    "aio_channel",
    "byte_column",
    "card_column",
    "card_rows",
    "channel",
    "count_column",
    "failure",
    "health",
    "meld_rows",
    "reading_column",
    "reading_rows",
    "split_readings",
    "tile_column",
    "tile_rows",
    "unpacked",
]

Options = Sequence[tuple[str, Any]]

_MIB: Final = 1024 * 1024
_TRANSPORT: Final[Options] = (
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    # By default gRPC gives up after two pings without data between them.
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.max_receive_message_length", 64 * _MIB),
    ("grpc.max_send_message_length", 64 * _MIB),
)
_IPV4: Final = re.compile(r"[\d.]+:\d+")
_IPV6: Final = re.compile(r"\[[\da-fA-F:.]+\]:\d+")


def channel(
    target: str,
    *,
    credentials: grpc.ChannelCredentials | None = None,
    retry: bool = True,
    deadlines: bool = True,
    watch_health: bool = False,
    options: Options = (),
) -> grpc.Channel:
    """Return a channel to a target with the defaults of this module.

    It is encrypted when there are ``credentials``. Without ``retry`` no call is sent again; without ``deadlines`` a
    call ends only by its own ``timeout``. With ``watch_health`` calls turn away from a server as soon as it says that
    it drains: for targets that give every replica's own address, because through a balancer the health of one replica
    would pass for that of all. ``options`` are gRPC's channel options and go before the defaults. Raises ValueError for
    an empty target, and for several addresses that are not IP addresses of one family with ports.
    """
    uri, arguments = _uri(target), _arguments(retry, deadlines, watch_health, options)
    if credentials is None:
        return grpc.insecure_channel(uri, options=arguments)
    return grpc.secure_channel(uri, credentials, options=arguments)


def aio_channel(
    target: str,
    *,
    credentials: grpc.ChannelCredentials | None = None,
    retry: bool = True,
    deadlines: bool = True,
    watch_health: bool = False,
    options: Options = (),
) -> grpc.aio.Channel:
    """Return a channel for asyncio; everything as in `channel`."""
    uri, arguments = _uri(target), _arguments(retry, deadlines, watch_health, options)
    if credentials is None:
        return grpc.aio.insecure_channel(uri, options=arguments)
    return grpc.aio.secure_channel(uri, credentials, options=arguments)


def _uri(target: str) -> str:
    if not target:
        raise ValueError("the target is empty")
    if "," not in target:
        return target
    addresses = target.split(",")
    for scheme, pattern in (("ipv4", _IPV4), ("ipv6", _IPV6)):
        if all(map(pattern.fullmatch, addresses)):
            return f"{scheme}:{target}"
    raise ValueError(
        f"the target {target!r} has several parts: they are IP addresses of one family, each with a port, such as"
        " 10.0.0.1:50051,10.0.0.2:50051"
    )


def _arguments(retry: bool, deadlines: bool, watch_health: bool, options: Options) -> Options:
    config = json.loads(resources.files(__package__).joinpath("service_config.json").read_text(encoding="utf-8"))
    if not deadlines:
        for methods in config["methodConfig"]:
            methods.pop("timeout", None)
    if watch_health:
        config["healthCheckConfig"] = {"serviceName": ""}
    defaults = [("grpc.service_config", json.dumps(config)), ("grpc.enable_retries", int(retry)), *_TRANSPORT]
    named = {name for name, _ in options}
    return [*options, *(default for default in defaults if default[0] not in named)]


class Client:
    """The three services on one channel, each a generated stub: ``client.doudizhu.ReadPlay(request)``."""

    doudizhu: doudizhu_pb2_grpc.DoudizhuServiceStub
    mahjong: mahjong_pb2_grpc.MahjongServiceStub
    rules: rules_pb2_grpc.RulesServiceStub

    def __init__(self, target: str | grpc.Channel) -> None:
        """Connect when the first call is made. A channel made by the caller is closed with the client, too."""
        self._channel = channel(target) if isinstance(target, str) else target
        self.doudizhu = doudizhu_pb2_grpc.DoudizhuServiceStub(self._channel)
        self.mahjong = mahjong_pb2_grpc.MahjongServiceStub(self._channel)
        self.rules = rules_pb2_grpc.RulesServiceStub(self._channel)

    def close(self) -> None:
        """Close the channel."""
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncClient:
    """The same for asyncio: ``await client.doudizhu.ReadPlay(request)``. It belongs to the loop that first calls."""

    doudizhu: doudizhu_pb2_grpc.DoudizhuServiceAsyncStub
    mahjong: mahjong_pb2_grpc.MahjongServiceAsyncStub
    rules: rules_pb2_grpc.RulesServiceAsyncStub

    def __init__(self, target: str | grpc.aio.Channel) -> None:
        """Connect when the first call is made. A channel made by the caller is closed with the client, too."""
        self._channel = aio_channel(target) if isinstance(target, str) else target
        self.doudizhu = doudizhu_pb2_grpc.DoudizhuServiceStub(self._channel)
        self.mahjong = mahjong_pb2_grpc.MahjongServiceStub(self._channel)
        self.rules = rules_pb2_grpc.RulesServiceStub(self._channel)

    async def close(self) -> None:
        """End what is under way and close the channel."""
        await self._channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


@dataclass(frozen=True, slots=True)
class Failure:
    """What the status of a failed call says."""

    code: grpc.StatusCode
    message: str
    reason: ErrorReason | None = None
    """None when the failure does not come from the service (no connection, or gRPC itself refused), or when the service
    is newer than this client and its reason unknown here."""
    field: str = ""
    """Path of the wrong field, such as ``hand.text``."""
    metadata: tuple[tuple[str, str], ...] = ()
    """``position``, ``limit`` or ``id``, where they exist."""
    retry_seconds: float | None = None
    """After how long to try again, where the server says so."""


def failure(error: grpc.RpcError) -> Failure:
    """Return what a failed call, blocking or asyncio, says about itself, its details unpacked."""
    call = cast("Any", error)
    try:
        status = rpc_status.from_call(call)
        told = Failure(call.code(), call.details()) if status is None else unpacked(call.code(), status)
    except (ValueError, DecodeError):
        # Something on the way to the service made the status and left details that are not its own.
        told = Failure(call.code(), call.details())
    return told


def unpacked(code: grpc.StatusCode, status: status_pb2.Status) -> Failure:
    """Return what a status says, its details unpacked. Raises DecodeError for details that are none."""
    details: dict[str, Any] = {}
    for packed in status.details:
        info, request, retry = (
            error_details_pb2.ErrorInfo(),
            error_details_pb2.BadRequest(),
            error_details_pb2.RetryInfo(),
        )
        if packed.Unpack(info) and info.domain == DOMAIN:
            reason = ErrorReason.__members__.get(info.reason)
            details |= {"reason": reason, "metadata": tuple(sorted(info.metadata.items()))}
        elif packed.Unpack(request) and request.field_violations:
            details["field"] = request.field_violations[0].field
        elif packed.Unpack(retry):
            details["retry_seconds"] = retry.retry_delay.ToTimedelta().total_seconds()
    return Failure(code, status.message, **details)


def health(
    target: str,
    service: str = "",
    timeout: float = 2.0,
    *,
    credentials: grpc.ChannelCredentials | None = None,
    options: Options = (),
) -> str:
    """Return what a server says about itself or one service: SERVING, NOT_SERVING; or why there is no answer."""
    with channel(target, credentials=credentials, retry=False, options=options) as opened:
        try:
            stub: Any = health_pb2_grpc.HealthStub(opened)  # its types lack the methods
            answer = stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=timeout)
        except grpc.RpcError as error:
            return str(cast("Any", error).code().name)
    name: str = health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)
    return name
