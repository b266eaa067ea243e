"""``make demo`` shows both games and says so when it cannot."""

import os
import subprocess
import sys

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("LAIZI_")}


def demo(**environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "laizi_service.demo"]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", timeout=60, env=ENVIRONMENT | environment
    )


def test_the_demo_shows_both_games_an_error_and_metrics():
    result = demo()
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    for told in (
        "  软炸     bomb:3:4:soft   ♦3 ♥3 ♠3 ♥7     ♥7 → 3   D6-28 D6-40",
        "  no: wilds may not be played alone   D4-17 D4-18",
        "  碰碰胡   10 points   M1-08 M1-31",
        "  seat 2   60   碰碰胡 10, 清一色 10, 开口×2, 放炮×3/2",
        "      ^ INVALID_ARGUMENT, TOO_MANY_COPIES: cards.text: 5 cards of rank 3, the pack holds 4",
        '  laizi_hands_total{game="mahjong",operation="hu"} 2.0',
    ):
        assert told in lines


def test_the_demo_fails_when_the_service_does():
    result = demo(LAIZI_THREADS="0")
    assert result.returncode == 1
    assert "LAIZI_THREADS: 0 is outside 1 to 1024" in result.stderr
