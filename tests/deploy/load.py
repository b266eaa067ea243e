"""Calls from many threads, each answer looked at, until the test has seen enough."""

import threading
from types import TracebackType
from typing import Self

import grpc

from laizi.v1 import doudizhu_pb2, types_pb2
from laizi_service.client import Client, channel

__all__ = ["Load", "request"]

# Some answers are yes, some are no.
CARDS = {"3337": True, "34567": True, "3456": False, "XY": True, "4445": True, "45": False}


def request(cards: str) -> doudizhu_pb2.ReadPlayRequest:
    return doudizhu_pb2.ReadPlayRequest(
        rules=types_pb2.RuleSetSelector(preset="huanle"),
        wilds=types_pb2.Wilds(ranks="7"),
        cards=types_pb2.Cards(text=cards),
    )


class Load:
    """Callers that ask one call after the other, all on one connection. Leaving the context stops them.

    The client does not retry by itself, so that a call that the balancer loses is seen.
    """

    def __init__(self, target: str, callers: int = 8) -> None:
        self._client = Client(channel(target, retry=False))
        self._stop = threading.Event()
        self._counts = [0] * callers
        self.failures: list[str] = []
        self._threads = [threading.Thread(target=self._ask, args=(number,)) for number in range(callers)]

    def _ask(self, number: int) -> None:
        while not self._stop.is_set():
            for cards, legal in CARDS.items():
                try:
                    answer = self._client.doudizhu.ReadPlay(request(cards), timeout=60)
                except grpc.RpcError as error:
                    self.failures.append(str(error))
                else:
                    if answer.legal != legal:
                        self.failures.append(f"{cards}: {answer}")
                self._counts[number] += 1

    @property
    def calls(self) -> int:
        """How many calls have ended, well or not."""
        return sum(self._counts)

    def stop(self) -> None:
        """Let the calls that run end, and make no more."""
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._client.close()
