"""Streams: many requests of one service on one call, each answered as soon as it is ready.

Small requests are answered by the thread that reads the stream, one after another: handing them to other threads would
cost more than answering them, and all threads share one interpreter. Batches and columns go to the threads for batches
and are overtaken by what comes after them. When as many of them are under way as may be, or the client reads too
slowly, the stream is not read on, and gRPC's flow control holds the client back.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from time import perf_counter
from typing import Any, Final

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass
from grpc_status import rpc_status

from laizi.errors import ErrorReason, LaiziError, RequestError
from laizi_service import status
from laizi_service.calls import Call, Method
from laizi_service.codec import item_error
from laizi_service.metrics import CallMetrics, Metrics
from laizi_service.native.wire import Envelope
from laizi_service.pool import Pools

__all__ = ["Streams", "stream_handler"]

_Send = Callable[[bytes | None], None]
"""Sends an answer, and with None the status."""

_LOOK_SECONDS: Final = 0.5
"""How often a stream that may not be read on looks whether its client is still there."""


class Streams:
    """The open streams of a server."""

    def __init__(self, most: int, most_requests: int, retry_seconds: float) -> None:
        self._most = most
        self.most_requests = most_requests
        self.retry_seconds = retry_seconds
        self._open: set[_Stream] = set()
        self._lock = threading.Lock()
        self._ending: RequestError | None = None

    def __len__(self) -> int:
        return len(self._open)

    def finish(self) -> None:
        """Ask every stream to end once its answers are out; from now on none may begin."""
        with self._lock:
            self._ending = status.ShuttingDownError(self.retry_seconds)
            streams = list(self._open)
        for stream in streams:
            stream.end(self._ending)

    def begin(self, stream: _Stream) -> None:
        """Note a stream. Raises RequestError (OVERLOADED, SHUTTING_DOWN) when it may not begin."""
        with self._lock:
            if self._ending is not None:
                raise self._ending
            if len(self._open) >= self._most:
                what = f"{self._most} streams are open already (max_streams)"
                raise status.OverloadedError(what, self._most, self.retry_seconds)
            self._open.add(stream)

    def ended(self, stream: _Stream) -> None:
        """Forget a stream."""
        with self._lock:
            self._open.discard(stream)


def stream_handler(
    method: MethodDescriptor,
    methods: Mapping[int, tuple[Method, CallMetrics]],
    metrics: Metrics,
    pools: Pools,
    streams: Streams,
) -> grpc.RpcMethodHandler[bytes, bytes]:
    """Return the handler of the stream of a service; ``methods`` has, for the number of each field of a request, what
    answers it."""
    messages = _Messages(method)

    def behaviour(
        requests: Iterator[bytes], context: grpc.ServicerContext, send: Callable[[bytes | None], None]
    ) -> None:
        stream = _Stream(context, send, messages, methods, metrics, pools, streams)
        try:
            streams.begin(stream)
        except RequestError as error:
            Call(context, method.full_name, metrics).abort(error)
        # No callback is taken of a call that has ended already.
        if context.add_callback(lambda: streams.ended(stream)):
            stream.read(requests)
        else:
            streams.ended(stream)

    handler: Any = behaviour
    # gRPC's own names: the function sends its answers itself, and runs in this pool.
    handler.experimental_non_blocking = True
    handler.experimental_thread_pool = pools.streams
    made: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(handler)
    return made


class _Messages:
    """The messages of a stream, taken apart and put together around those of its methods."""

    def __init__(self, method: MethodDescriptor) -> None:
        self._requests = GetMessageClass(method.input_type)
        self._envelope = Envelope(method.input_type, method.output_type, "correlation_id")
        self._error = method.output_type.fields_by_name["error"].number
        self.wrap = self._envelope.wrap

    def split(self, data: bytes) -> tuple[int, int, bytes]:
        """Return the id of a request, the number of the field that is set (0 for none), and the bytes in it.

        Raises DecodeError.
        """
        found = self._envelope.split(data)
        if found is not None:
            return found
        request: Any = self._requests.FromString(data)
        kind = request.WhichOneof("request")
        if kind is None:
            return request.correlation_id, 0, b""
        field = self._requests.DESCRIPTOR.fields_by_name[kind]
        return request.correlation_id, field.number, getattr(request, kind).SerializeToString()

    def failure(self, id_: int, error: LaiziError, path: str) -> bytes:
        """Return the answer to a request that an error keeps from one."""
        return self.wrap(id_, self._error, item_error(error, path).SerializeToString())


class _Stream:
    """One open stream."""

    def __init__(
        self,
        context: grpc.ServicerContext,
        send: _Send,
        messages: _Messages,
        methods: Mapping[int, tuple[Method, CallMetrics]],
        metrics: Metrics,
        pools: Pools,
        streams: Streams,
    ) -> None:
        self._context = context
        self._send_message = send
        self._messages = messages
        self._methods = methods
        self._metrics = metrics
        self._pools = pools
        self._most = streams.most_requests
        self._retry_seconds = streams.retry_seconds
        # gRPC takes one message at a time.
        self._send_lock = threading.Lock()
        # All below is changed under this one.
        self._state = threading.Condition()
        self._reading = False
        """The reader works on a request."""
        self._under_way: set[int] = set()
        """Correlation ids of batches that are not answered yet."""
        self._unsent = 0
        """How many batches are worked on or wait to be sent."""
        self._outbox: deque[tuple[int, bytes]] = deque()
        self._writing = False
        self._half_closed = False
        self._ending: LaiziError | None = None
        self._ended = False

    def read(self, requests: Iterator[bytes]) -> None:
        """Read and answer until the client has no more, goes away, or the stream is asked to end."""
        try:
            for data in requests:
                with self._state:
                    if self._ending is not None:
                        break
                    self._reading = True
                self._take(data)
                with self._state:
                    self._reading = False
                    if self._ending is not None:
                        break
                    while self._unsent >= self._most and self._context.is_active():
                        self._state.wait(_LOOK_SECONDS)
        except Exception:
            # gRPC raises an error without a name when the client has gone; nobody is left to tell.
            if self._context.is_active():
                raise
        with self._state:
            self._half_closed = True
        self._end_if_done()

    def end(self, error: LaiziError) -> None:
        """Read no further, and end with an error once the answers that are under way are out."""
        with self._state:
            self._ending = self._ending or error
        self._end_if_done()

    def _take(self, data: bytes) -> None:
        try:
            id_, number, inner = self._messages.split(data)
        except DecodeError:
            self._end_malformed()
            return
        try:
            if id_ in self._under_way:
                message = f"request {id_} is still being worked on"
                raise RequestError(ErrorReason.DUPLICATE_CORRELATION_ID, message, path="correlation_id")
            if not number:
                raise RequestError(ErrorReason.MISSING_FIELD, "no request is set", path="request")
            method, metrics = self._methods[number]
            if method.heavy and self._pools.batch.full:
                raise self._pools.batch.overloaded(self._retry_seconds)
        except LaiziError as error:
            self._metrics.error(error.reason)
            self._send(self._messages.failure(id_, error, error.path))
            return
        if method.heavy:
            with self._state:
                self._under_way.add(id_)
                self._unsent += 1
            self._pools.batch.submit(self._work, method, metrics, id_, number, inner)
            return
        answer = self._answer(method, metrics, id_, number, inner)
        if answer is None:
            self._end_malformed()
        else:
            self._send(answer)

    def _answer(self, method: Method, metrics: CallMetrics, id_: int, number: int, inner: bytes) -> bytes | None:
        """Return the answer to a request; None where its bytes are no message."""
        call = Call(self._context, method.name, self._metrics)
        metrics.started.inc()
        start = perf_counter()
        code = grpc.StatusCode.OK
        answer: bytes | None = None
        try:
            answer = self._messages.wrap(id_, number, method.answer(inner, call))
        except Exception as error:
            if not (isinstance(error, LaiziError) and error.reason is ErrorReason.MALFORMED_MESSAGE):
                told = call.failed(error)
                answer = self._messages.failure(id_, told, method.path(told, inner))
                code = status.code_of(told.reason)
            else:
                code = status.code_of(error.reason)
        metrics.handled(code, perf_counter() - start)
        return answer

    def _work(self, method: Method, metrics: CallMetrics, id_: int, number: int, inner: bytes) -> None:
        """Answer a batch on a thread for batches. The answer is sent by another, which a slow client may hold up."""
        answer = self._answer(method, metrics, id_, number, inner)
        with self._state:
            if answer is not None:
                self._outbox.append((id_, answer))
                begins, self._writing = not self._writing, True
            else:
                self._under_way.discard(id_)
                self._unsent -= 1
                self._state.notify_all()
        if answer is None:
            self._end_malformed()
        elif begins:
            self._pools.streams.submit(self._write)

    def _end_malformed(self) -> None:
        """End the stream at bytes that are no message: there may be no id with which an answer would find its way."""
        wrong = RequestError(ErrorReason.MALFORMED_MESSAGE, "the bytes of a request are no message of the stream")
        self._metrics.error(wrong.reason)
        self.end(wrong)

    def _write(self) -> None:
        while True:
            with self._state:
                if not self._outbox:
                    self._writing = False
                    break
                number, answer = self._outbox.popleft()
                # Before it is sent: who has the answer may use the id again.
                self._under_way.discard(number)
            self._send(answer)
            with self._state:
                self._unsent -= 1
                self._state.notify_all()
        self._end_if_done()

    def _send(self, answer: bytes) -> None:
        with self._send_lock:
            self._send_message(answer)

    def _end_if_done(self) -> None:
        with self._state:
            waits = self._reading or self._unsent or self._writing
            if self._ended or waits or not (self._half_closed or self._ending is not None):
                return
            self._ended = True
        if self._ending is not None:
            told = rpc_status.to_status(status.of_error(self._ending, self._ending.path))
            self._context.set_code(told.code)
            self._context.set_details(told.details)
            self._context.set_trailing_metadata(told.trailing_metadata)
        with self._send_lock:
            self._send_message(None)
