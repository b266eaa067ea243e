"""The measurement of processes, in one round."""

from laizi_bench import processes


def test_each_kind_of_process_is_measured():
    shown = processes.text(processes.measure(1)).splitlines()
    assert [line[:40].strip() for line in shown] == [
        "",
        "start, one process",
        "start, two workers",
        "counting one call, one process",
        "counting one call, a worker of several",
        "scrape, 2 workers",
        "scrape, 8 workers",
    ]
    assert all(float(line[40:50]) > 0 for line in shown[1:])
