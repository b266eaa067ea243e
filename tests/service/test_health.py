"""The health service by itself: what watchers are told, and that none of them holds up a server."""

import threading
from collections.abc import Callable
from concurrent import futures
from functools import partial
from unittest.mock import Mock

import grpc
import pytest
from grpc_health.v1 import health_pb2

from laizi_service.health import Health
from tests.deploy.processes import until

SERVING, NOT_SERVING, UNKNOWN = 1, 2, 3


class Caller:
    """The context of one call that watches."""

    def __init__(self, health: Health, service: str = "", stuck: threading.Event | None = None) -> None:
        self.told: list[int | None] = []
        """Statuses, and None for the end."""
        self._stuck = stuck
        self._ended: list[Callable[[], None]] = []
        self.context = Mock(grpc.ServicerContext)
        self.context.add_callback.side_effect = self._note
        health.Watch(health_pb2.HealthCheckRequest(service=service), self.context, self._take)

    def _note(self, callback: Callable[[], None]) -> bool:
        self._ended.append(callback)
        return True

    def _take(self, answer: health_pb2.HealthCheckResponse | None) -> None:
        self.told.append(None if answer is None else answer.status)
        if self._stuck is not None and len(self.told) > 1:
            self._stuck.wait()

    def leave(self) -> None:
        for callback in self._ended:
            callback()


def _told(expected: list[int | None], *callers: Caller) -> bool:
    return all(caller.told == expected for caller in callers)


@pytest.fixture
def pool():
    with futures.ThreadPoolExecutor(4) as made:
        yield made


def test_a_watcher_is_told_how_it_is_and_each_change_once(pool):
    health = Health(["a.B"], pool)
    whole, one = Caller(health), Caller(health, "a.B")
    expected: list[int | None] = [NOT_SERVING]
    for serving in (False, True, True, False):
        health.set_serving(serving)
        status = SERVING if serving else NOT_SERVING
        expected += [status] if status != expected[-1] else []
        until(partial(_told, expected, whole, one), "both are told")


def test_whoever_has_left_is_told_nothing(pool):
    health = Health([], pool)
    gone, present = Caller(health), Caller(health)
    gone.leave()
    health.set_serving(True)
    until(lambda: present.told == [NOT_SERVING, SERVING], "the other is told")
    assert gone.told == [NOT_SERVING]


def test_a_watcher_who_reads_nothing_holds_up_neither_the_server_nor_the_others(pool):
    stuck = threading.Event()
    try:
        health = Health([], pool)
        silent = [Caller(health, stuck=stuck) for _ in range(3)]
        other = Caller(health)
        # Both return, although three answers are not taken.
        health.set_serving(True)
        until(lambda: all(one.told == [NOT_SERVING, SERVING] for one in [*silent, other]), "all are told")
        for one in silent:
            one.leave()
        health.set_serving(False)
        until(lambda: other.told[-1] == NOT_SERVING, "the other is told of the end")
    finally:
        stuck.set()


def test_a_service_that_is_not_known_is_told_apart(pool):
    health = Health(["a.B"], pool)
    health.set_serving(True)
    stranger = Caller(health, "a.C")
    health.set_serving(False)
    assert stranger.told == [UNKNOWN]


def test_all_services_can_be_listed(pool):
    health = Health(["a.B"], pool)
    health.set_serving(True)
    listed = health.List(None, Mock(grpc.ServicerContext))
    assert {name: answer.status for name, answer in listed.statuses.items()} == {"": SERVING, "a.B": SERVING}


def test_every_watch_ends_once_and_late_ones_at_once(pool):
    health = Health([], pool)
    health.set_serving(True)
    early, gone, stranger = Caller(health), Caller(health), Caller(health, "a.C")
    gone.leave()
    health.set_serving(False)
    until(partial(_told, [SERVING, NOT_SERVING], early), "it is told first")
    health.finish()
    until(lambda: early.told[-1] is stranger.told[-1] is None, "both end")
    late = Caller(health)
    assert early.told == [SERVING, NOT_SERVING, None]
    assert stranger.told == [UNKNOWN, None]
    assert late.told == [NOT_SERVING, None]
    assert gone.told == [SERVING]
    late.context.set_code.assert_called_once_with(grpc.StatusCode.UNAVAILABLE)
