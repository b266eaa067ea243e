"""The threads that work on calls: how many at once, and what a call does to others whose message is late."""

import random
import threading
import time
from concurrent import futures

import pytest

from laizi_service.pool import Pool
from tests.deploy.processes import until


class RequestCallEvent:
    """Named as what gRPC opens a call with; ``call`` is what can be cancelled."""

    def __init__(self) -> None:
        self.call = self
        self.waits = threading.Event()
        self.came = threading.Event()

    def cancel(self) -> None:
        self.came.set()


class Busy:
    """Work that lasts until it is told to end, and counts how many do it at once."""

    def __init__(self) -> None:
        self.ends = threading.Event()
        self.now = self.most = 0
        self._lock = threading.Lock()

    def __call__(self) -> None:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        self.ends.wait()
        with self._lock:
            self.now -= 1


def receive(event: RequestCallEvent, pool: Pool, busy: Busy) -> None:
    event.waits.set()
    event.came.wait()
    pool.message_came()
    busy()


def most_at_once(pool: Pool, calls: int) -> int:
    """How many of so many calls the pool works on at once, now that it is at rest."""
    until(lambda: pool.unfinished == 0, "all are done")
    busy = Busy()
    sent = [pool.submit(busy) for _ in range(calls)]
    until(lambda: busy.now == pool.running, "as many as may are worked on")
    busy.ends.set()
    futures.wait(sent)
    return busy.most


def test_so_many_calls_are_worked_on_at_once_and_the_others_wait():
    pool, busy = Pool(3, "test", ("limit", 5)), Busy()
    sent = [pool.submit(busy) for _ in range(8)]
    until(lambda: busy.now == 3, "three are worked on")
    assert (pool.running, pool.waiting, pool.unfinished, pool.full) == (3, 5, 8, True)
    busy.ends.set()
    futures.wait(sent)
    until(lambda: pool.unfinished == 0, "all are done")
    assert busy.most == 3
    pool.shutdown()


def test_a_call_whose_message_is_late_gives_its_place_to_others():
    pool, busy = Pool(1, "test", spare=2), Busy()
    events = [RequestCallEvent() for _ in range(3)]
    late = [pool.submit(receive, event, pool, busy) for event in events]
    other = pool.submit(busy)
    busy.ends.set()
    pool.give_way(600)
    assert not other.done()

    def second_and_third_have_begun() -> bool:
        pool.give_way(0)
        return pool.waiting == 1

    until(second_and_third_have_begun, "each has the place of the one before")
    events[2].waits.wait()
    pool.give_way(0)
    assert not other.done()  # There are two spare threads, and three calls are late.
    events[2].came.set()
    other.result(30)
    assert not late[0].done()
    for event in events:
        event.came.set()
    for one in late:
        one.result(30)
    assert most_at_once(pool, 4) == 1  # None of them took a place away for good, or gave one.
    pool.shutdown()


def test_calls_that_stay_silent_are_ended():
    pool, busy = Pool(1, "test", spare=1), Busy()
    busy.ends.set()
    silent = [pool.submit(receive, RequestCallEvent(), pool, busy) for _ in range(5)]
    deadline = time.monotonic() + 30
    ended = 0
    while ended < 5 and time.monotonic() < deadline:
        pool.give_way(0)
        ended += pool.end_silent(0)
    futures.wait(silent, 30)
    assert ended == 5
    until(lambda: pool.unfinished == 0, "all are done")
    pool.shutdown()


def test_what_a_call_raises_reaches_who_asked_for_it_and_the_thread_goes_on():
    pool = Pool(1, "test")

    def fails() -> None:
        raise ValueError("wrong")

    failed, right = pool.submit(fails), pool.submit(sum, (1, 2))
    assert right.result(30) == 3
    with pytest.raises(ValueError, match="wrong"):
        failed.result(30)
    pool.shutdown()
    with pytest.raises(RuntimeError):
        pool.submit(sum, (1, 2))


def test_shutdown_waits_for_calls_that_wait():
    pool = Pool(1, "test")
    sent = [pool.submit(time.sleep, 0.001) for _ in range(20)]
    pool.shutdown()
    assert all(one.done() for one in sent)


def test_no_call_is_lost_and_no_place(rng):
    """Random calls, some late, some ended, from several threads."""
    pool = Pool(3, "test", spare=4)
    over = threading.Event()
    seeds = [rng.random() for _ in range(4)]

    def watch() -> None:
        while not over.wait(0.001):
            pool.give_way(0.002)
            pool.end_silent(0.01)

    def work(event: RequestCallEvent, seconds: float, wait: float) -> int:
        event.came.wait(wait)
        pool.message_came()
        time.sleep(seconds)
        return 1

    def ask(number: int) -> int:
        drawn = random.Random(seeds[number])
        sent = []
        for _ in range(100):
            late = drawn.choice([0, 0, 0.003, 0.02])
            sent.append(pool.submit(work, RequestCallEvent(), drawn.random() * 0.001, late))
            time.sleep(drawn.random() * 0.001)
        return sum(one.result(60) for one in sent)

    watcher = threading.Thread(target=watch)
    watcher.start()
    with futures.ThreadPoolExecutor(4) as askers:
        assert sum(askers.map(ask, range(4))) == 400
    until(lambda: pool.unfinished == 0, "all are done")
    over.set()
    watcher.join()
    assert most_at_once(pool, 10) == 3
    pool.shutdown()
