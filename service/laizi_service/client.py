"""A client for Python: the generated stubs on one channel with the defaults that this service deserves.

>>> from laizi_service.client import Client, failure
>>> with Client("127.0.0.1:50051") as client:  # doctest: +SKIP
...     client.rules.ListRuleSets(rules_pb2.ListRuleSetsRequest())
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self, cast

import grpc
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

__all__ = [
    "Client",
    "Failure",
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

MIB: Final = 1024 * 1024

# Every method is a pure function of its request, so a call that no server took may always be sent again.
_SERVICE_CONFIG: Final = {
    "loadBalancingConfig": [{"round_robin": {}}],
    "methodConfig": [
        {
            "name": [
                {"service": f"laizi.v1.{service}"} for service in ("DoudizhuService", "MahjongService", "RulesService")
            ],
            "retryPolicy": {
                "maxAttempts": 4,
                "initialBackoff": "0.05s",
                "maxBackoff": "1s",
                "backoffMultiplier": 2,
                "retryableStatusCodes": ["UNAVAILABLE"],
            },
        }
    ],
    "retryThrottling": {"maxTokens": 100, "tokenRatio": 0.1},
}


def channel(target: str, *, retry: bool = True) -> grpc.Channel:
    """Return a channel to ``host:port``, or to all addresses of a name (``dns:///laizi:50051``) in turn.

    It is not encrypted. ``retry`` sends a call again that no server took (UNAVAILABLE), up to three times.
    """
    return grpc.insecure_channel(
        target,
        options=[
            ("grpc.service_config", json.dumps(_SERVICE_CONFIG)),
            ("grpc.enable_retries", int(retry)),
            ("grpc.max_receive_message_length", 64 * MIB),
            ("grpc.max_send_message_length", 64 * MIB),
        ],
    )


class Client:
    """The three services on one channel, each a generated stub: ``client.doudizhu.ReadPlay(request)``."""

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


@dataclass(frozen=True, slots=True)
class Failure:
    """What the status of a failed call says."""

    code: grpc.StatusCode
    message: str
    reason: ErrorReason | None = None
    """None when the failure does not come from the service: no connection, or gRPC itself refused."""
    field: str = ""
    """Path of the wrong field, such as ``hand.text``."""
    metadata: tuple[tuple[str, str], ...] = ()
    """``position``, ``limit`` or ``id``, where they exist."""
    retry_seconds: float | None = None
    """After how long to try again, where the server says so."""


def failure(error: grpc.RpcError) -> Failure:
    """Return what a failed call says about itself, its details unpacked."""
    call = cast("Any", error)
    status = rpc_status.from_call(call)
    return Failure(call.code(), call.details()) if status is None else unpacked(call.code(), status)


def unpacked(code: grpc.StatusCode, status: status_pb2.Status) -> Failure:
    """Return what a status says, its details unpacked."""
    details: dict[str, Any] = {}
    for packed in status.details:
        info, request, retry = (
            error_details_pb2.ErrorInfo(),
            error_details_pb2.BadRequest(),
            error_details_pb2.RetryInfo(),
        )
        if packed.Unpack(info):
            details |= {"reason": ErrorReason[info.reason], "metadata": tuple(sorted(info.metadata.items()))}
        elif packed.Unpack(request):
            details["field"] = request.field_violations[0].field
        elif packed.Unpack(retry):
            details["retry_seconds"] = retry.retry_delay.ToTimedelta().total_seconds()
    return Failure(code, status.message, **details)


def health(target: str, service: str = "", timeout: float = 2.0) -> str:
    """Return what a server says about itself or one service: SERVING, NOT_SERVING; or why there is no answer."""
    with grpc.insecure_channel(target) as opened:
        try:
            stub: Any = health_pb2_grpc.HealthStub(opened)  # its types lack the methods
            answer = stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=timeout)
        except grpc.RpcError as error:
            return str(cast("Any", error).code().name)
    name: str = health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)
    return name
