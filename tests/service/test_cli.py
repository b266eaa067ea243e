"""The command line and the settings."""

import re
import runpy
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from laizi import rules
from laizi_service.cli import main
from laizi_service.settings import Settings, SettingsError

DOCS = Path(__file__).parents[2] / "docs"


def run(*arguments: str, **environment: str) -> Result:
    return CliRunner(env={"LAIZI_HOST": None, **environment}).invoke(main, arguments, catch_exceptions=False)


def test_serve_prints_the_settings_in_force():
    result = run("serve", "--print-config", "--threads=3", LAIZI_PORT="6000", LAIZI_THREADS="2")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert "port = 6000  # LAIZI_PORT" in lines
    assert "threads = 3  # --threads" in lines  # a flag goes before the environment
    assert "max_rows = 200000  # default" in lines
    assert [line.split(" = ")[0] for line in lines if " = " in line] == [one.name for one in Settings.describe()]


def test_no_secret_is_printed_with_the_settings(tmp_path):
    """They name files; what is in these is nowhere."""
    (tmp_path / "tokens").write_text("a-token-of-the-backends\n", encoding="utf-8")
    (tmp_path / "key").write_text("a key of ours\n", encoding="utf-8")
    files = [f"--tokens-file={tmp_path}/tokens", f"--tls-key={tmp_path}/key", f"--tls-certificate={tmp_path}/key"]
    for arguments in (["--print-config"], []):
        output = run("serve", "--port=0", "--metrics-port=0", *files, *arguments).output
        assert f"{tmp_path}/key" in output
        assert "backends" not in output
        assert "ours" not in output


def test_the_page_of_settings_is_up_to_date():
    page = runpy.run_path(str(DOCS / "settings.py"))["page"]()
    assert (DOCS / "settings.md").read_text(encoding="utf-8") == page, "make docs writes it anew"


def test_the_defaults_that_the_operations_page_tells_are_those_of_the_settings():
    text = (DOCS / "operations.md").read_text(encoding="utf-8")
    told = re.findall(r"`(--[a-z-]+)` \(([0-9,.]+)( MiB)?\)", text)
    defaults = {setting.flag: setting.default for setting in Settings.describe()}
    assert {(flag, float(number.replace(",", "")) * (2**20 if unit else 1)) for flag, number, unit in told} == {
        (flag, defaults[flag]) for flag, _, _ in told
    }
    assert len(told) > 5


def test_every_setting_has_a_flag_a_variable_and_a_sentence():
    output = " ".join(run("serve", "--help").output.split())
    for setting in Settings.describe():
        assert setting.flag in output
        assert f"[{setting.variable}; " in output
        assert setting.doc[1:40] in output


@pytest.mark.parametrize(
    ("arguments", "environment", "told"),
    [
        (["--port=x"], {}, "--port: 'x' is not a whole number"),
        (["--port=70000"], {}, "--port: 70000 is outside 0 to 65535"),
        ([], {"LAIZI_PORT": "-1"}, "LAIZI_PORT: -1 is outside 0 to 65535"),
        ([], {"LAIZI_GRACE_SECONDS": "nan"}, "LAIZI_GRACE_SECONDS: nan is outside 0 to 600"),
        ([], {"LAIZI_PROT": "1"}, "LAIZI_PROT is no setting"),
        (["--log-level=loud"], {}, "--log-level: 'loud' is not one of debug, info, warning, error"),
    ],
)
def test_a_wrong_setting_is_named_with_its_origin(arguments, environment, told):
    result = run("serve", "--print-config", *arguments, **environment)
    assert result.exit_code == 2
    assert told in result.output


def test_serve_says_which_rule_set_file_is_wrong(tmp_path):
    (tmp_path / "mine.toml").write_text('name = "mine"\nextends = "hunle"\n', encoding="utf-8")
    result = run("serve", "--port=0", "--metrics-port=0", f"--rules-folder={tmp_path}")
    assert result.exit_code == 1
    assert "mine.toml:2:" in result.output
    assert 'did you mean "huanle"?' in result.output


def test_settings_have_defaults_within_their_ranges():
    assert Settings.load({}) == Settings()
    for setting in Settings.describe():
        assert setting.parse(setting.default, "default") == setting.default


def test_settings_are_frozen_and_refuse_what_is_none():
    with pytest.raises(SettingsError, match="is no setting"):
        Settings.load({"LAIZI_": "1"})


def test_probe_tells_and_exits_by_health(target):
    assert (run("probe", target).output, run("probe", target).exit_code) == ("SERVING\n", 0)
    other = run("probe", target, "--service=laizi.v1.PokerService")
    assert (other.output, other.exit_code) == ("NOT_FOUND\n", 1)


def test_probe_asks_where_a_service_with_the_same_variables_listens(target):
    """As in a container, whose health check has no flags."""
    variables = {"LAIZI_HOST": "0.0.0.0", "LAIZI_ALLOW_PLAINTEXT": "on", "LAIZI_PORT": target.rpartition(":")[2]}
    assert run("probe", **variables).output == "SERVING\n"
    wrong = run("probe", LAIZI_PORT="none")
    assert (wrong.exit_code, "LAIZI_PORT" in wrong.output) == (2, True)


def test_rules_list_shows_each_preset_with_its_digest():
    lines = run("rules", "list").output.splitlines()
    assert [line.split()[0] for line in lines] == list(rules.presets())
    assert all(rules.load(line.split()[0]).digest in line for line in lines)
    assert len(run("rules", "list", "--game=mahjong").output.splitlines()) == len(rules.presets("mahjong"))


def test_rules_check_points_at_the_line(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('name = "mine"\nextends = "huanle"\n[options]\nwild.alnoe = "natural"\n', encoding="utf-8")
    result = run("rules", "check", str(file))
    assert result.exit_code == 1
    assert "mine.toml:4:1: wild.alnoe: unknown option" in result.output
    file.write_text('name = "mine"\nextends = "huanle"\n', encoding="utf-8")
    assert run("rules", "check", str(file)).exit_code == 0
    file.write_bytes(b"\xff")
    result = run("rules", "check", str(file))
    assert result.exit_code == 1
    assert "not UTF-8" in result.output
