"""What every test may use: random numbers from one printed seed, and a sample count that a nightly run multiplies."""

import os
import random
from collections.abc import Callable
from typing import Any

import hypothesis
import pytest

NIGHTLY_FACTOR = 20


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("laizi")
    group.addoption("--seed", type=int, help="seed of every random test (default: a new one for each run)")
    group.addoption(
        "--nightly",
        action="store_true",
        # Taken out of the environment, because the service refuses a LAIZI_ variable that is no setting of its.
        default=os.environ.pop("LAIZI_NIGHTLY", "") not in ("", "0"),
        help=f"{NIGHTLY_FACTOR} times the random samples (or set LAIZI_NIGHTLY=1)",
    )


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        config.option.seed, config.option.nightly = config.workerinput["laizi"]
    elif config.option.seed is None:
        config.option.seed = random.SystemRandom().randrange(2**32)
    examples = hypothesis.settings().max_examples * (NIGHTLY_FACTOR if config.option.nightly else 1)
    # Machines differ: a slow example is no failure. The blob in the output repeats a failure; no database is kept.
    hypothesis.settings.register_profile("laizi", database=None, deadline=None, max_examples=examples, print_blob=True)
    hypothesis.settings.load_profile("laizi")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Hand what the run was told on to a worker of pytest-xdist, which would otherwise draw a seed of its own."""
    node.workerinput["laizi"] = node.config.option.seed, node.config.option.nightly


def pytest_report_header(config: pytest.Config) -> str:
    return f"seed: {config.option.seed}" + (", nightly" if config.option.nightly else "")


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> random.Random:
    """Random numbers of this test's own; when the test fails, its report says how to get the same ones again."""
    seed = request.config.option.seed
    request.node.add_report_section("setup", "seed", f"the same random numbers again: pytest --seed={seed}")
    # Seeded with the test's name too, so that a test run alone sees what it saw among the others.
    return random.Random(f"{seed} {request.node.nodeid}")


@pytest.fixture(scope="session")
def samples(pytestconfig: pytest.Config) -> Callable[[int], int]:
    """``samples(n)`` is the number of random cases to try: n, or more in a nightly run."""
    factor = NIGHTLY_FACTOR if pytestconfig.option.nightly else 1
    return lambda count: count * factor
