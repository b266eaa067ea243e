"""The random numbers and sample counts that the other tests rely on."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FAILING = """
def test_random(rng, samples):
    assert 0, f"drew {rng.random()} for {samples(10)} samples"
"""


@pytest.fixture
def report(tmp_path: Path):
    """The report of a failing random test, run with some options."""
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_it.py").write_text(FAILING)

    def run(*options: str) -> str:
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout

    return run


def drawn(text: str) -> str:
    return next(line for line in text.splitlines() if line.startswith("E ") and "drew" in line)


def test_a_failure_names_the_seed_that_repeats_it(report):
    first = report()
    seed = first.split("pytest --seed=")[1].split()[0]
    assert drawn(report(f"--seed={seed}")) == drawn(first)
    assert drawn(report(f"--seed={int(seed) + 1}")) != drawn(first)


def test_workers_draw_what_a_single_process_draws(report):
    assert drawn(report("--seed=5", "--numprocesses=2")) == drawn(report("--seed=5"))


def test_a_nightly_run_takes_more_samples(report):
    assert "for 10 samples" in report()
    assert "for 200 samples" in report("--nightly")
    assert "for 200 samples" in report("--nightly", "--numprocesses=2")
