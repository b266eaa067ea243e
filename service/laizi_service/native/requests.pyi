"""Requests of one kind, alone or in a batch: whatever a plan answers is answered from its bytes, the rest in general.

A request of ordinary shape (see `laizi_service.native.wire`) names rules and wilds; for each pair of these, as it
stands in the request, there is a plan. What a plan does not answer is parsed by the generated classes and given to the
handler, item by item in a batch. The answer is the same, byte for byte, whichever of the two gave it.
"""

from collections.abc import Callable
from typing import Any

from google.protobuf.descriptor import MethodDescriptor

from laizi_service.batches import BatchHandler
from laizi_service.calls import Call

class Plan:
    """What is ready for one rule set and one choice of wilds. Each kind of request has a class of its own."""

    def __init__(self, provenance: bytes) -> None:
        """Take a response that has its provenance and nothing else."""

class Requests:
    """Answers the requests of an RPC, and batches of them, as far as there are plans that do."""

    def __init__(
        self,
        single: MethodDescriptor,
        batch: MethodDescriptor,
        plan_of: Callable[[bytes, bytes], Plan | None],
        handler: Callable[[Any, Call], Any],
        batch_handler: BatchHandler,
    ) -> None:
        """Take the RPC and its batch; what gives the plan for rules and wilds, None where these are wrong; and the
        handlers of both in general."""

    def one(self, data: bytes, call: Call) -> bytes | None:
        """The response to a request, None where the general path has to answer it."""

    def many(self, data: bytes, call: Call) -> bytes | None:
        """The response to a batch, None where the general path has to answer it as a whole.

        Between slices the interpreter is released and the caller looked after. Raises RequestError (DEADLINE_EXCEEDED).
        """
