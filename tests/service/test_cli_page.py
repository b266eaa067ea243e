"""What docs/cli.md shows is what the commands print."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.service.command_line import commands, invoke, write_files

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
# It changes with every option that the schema gains.
DIGEST = re.compile(r"\b[0-9a-f]{16}\b")


def printed(line: str) -> str:
    """What a line of the page prints, errors included."""
    if line.startswith("cat "):
        return Path(line.removeprefix("cat ")).read_text(encoding="utf-8")
    return invoke(line).output


def page_with_output() -> str:
    """The page with what its commands print now."""

    def block(found: re.Match[str]) -> str:
        return "```console\n" + "".join(f"$ {line}\n{printed(line)}" for line, _ in SHOWN.findall(found[1])) + "```"

    return BLOCK.sub(block, PAGE.read_text(encoding="utf-8"))


def test_every_command_shown_prints_what_is_shown(tmp_path, monkeypatch):
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    page = PAGE.read_text(encoding="utf-8")
    assert len(SHOWN.findall(page)) > 20
    assert DIGEST.sub("…", page_with_output()) == DIGEST.sub("…", page)


def test_every_command_is_named():
    page = PAGE.read_text(encoding="utf-8")
    for name, _ in commands():
        assert f"`{name.removeprefix('laizi ')}`" in page
    for link in re.findall(r"\]\(([^)]+)\)", page):
        assert (PAGE.parent / link).exists()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_printed_for_each_shell_shown(shell):
    variables = {"_LAIZI_COMPLETE": f"{shell}_source", "PYTHONUTF8": "1"}
    assert f"_LAIZI_COMPLETE={shell}_source laizi" in PAGE.read_text(encoding="utf-8")
    program = "from laizi_service.cli import main; main(prog_name='laizi')"
    script = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=variables)
    assert "laizi" in script.stdout


def test_rule_sets_and_options_are_completed():
    def completed(*words: str) -> list[str]:
        variables = {
            "_LAIZI_COMPLETE": "zsh_complete",
            "COMP_WORDS": " ".join(words),
            "COMP_CWORD": str(len(words) - 1),
            "PYTHONUTF8": "1",
        }
        program = "from laizi_service.cli import main; main(prog_name='laizi')"
        answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=variables)
        return answer.stdout.splitlines()

    assert {"huanle", "huanle_intro"} <= set(completed("laizi", "read", "33", "-r", "hua"))
    assert "honghu" not in completed("laizi", "read", "33", "-r", "h")
    assert "wild.alone=" in completed("laizi", "read", "33", "-o", "wild.a")
    assert "read" in completed("laizi", "re")
