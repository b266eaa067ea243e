"""Whatever arrives, a method answers or tells a reason, and is never at fault itself."""

import grpc
import pytest

from laizi_service.client import failure
from laizi_service.launch import Launched
from tests.service.barrage import Barrage
from tests.service.fuzzer import METHODS, SEEDS, Fuzzer


@pytest.mark.parametrize(
    ("service", "name", "request_class"), METHODS, ids=lambda value: getattr(value, "__name__", value)
)
def test_no_request_is_at_fault_with_the_server(client, rng, samples, service, name, request_class):
    call = getattr(getattr(client, service), name)
    fuzzer = Fuzzer(rng, service)
    for _ in range(samples(60)):
        request = request_class()
        if name in SEEDS and rng.random() < 0.8:
            request.CopyFrom(SEEDS[name])
            for _ in range(rng.randrange(4)):
                fuzzer.mutate(request)
        else:
            fuzzer.fill(request)
        try:
            answer = call(request, timeout=20)
        except grpc.RpcError as error:
            failed = failure(error)
            assert failed.reason is not None, (failed, request)
            assert failed.code not in (grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL), (failed, request)
        else:
            for result in getattr(answer, "results", ()):
                assert "internal fault" not in result.error.message, request


def test_a_worker_outlives_a_barrage(rng, samples):
    """The long form, of a million messages, is python -m tests.service.barrage."""
    with Launched() as service:
        told = Barrage(service, rng.randrange(2**32)).run(samples(3000))
    assert {"OK", "INVALID_ARGUMENT", "answered on streams"} <= set(told.statuses)
