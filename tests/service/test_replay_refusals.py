"""``laizi replay``: what one bad line, column or byte may do."""

import base64
import subprocess
import sys

import pytest

from laizi import cards
from tests.service.command_line import invoke
from tests.service.test_replay import folder, names, results

__all__ = ["folder"]

GOOD = b'{"read_play": {"cards": {"text": "33"}}}\n'


@pytest.mark.parametrize(
    "line",
    [
        rb'{"read_play": {"\ud800": {"text": "33"}}}',
        rb'{"\ud800": {"text": "33"}}',
        rb'{"list_plays": {"grouping": "\ud800"}}',
        rb'{"read_play": {"cards": {"text": "\uDfff"}}}',
        rb'{"read_play": {"rules": {"custom": {"wild": ["\udc00"]}}}}',
        rb'["\ud800"]',
    ],
)
def test_half_a_character_makes_one_wrong_row(line, folder):
    (folder / "log.jsonl").write_bytes(GOOD + line + b"\n" + GOOD)
    done = invoke("laizi replay log.jsonl -r huanle")
    assert done.exit_code == 1
    first, wrong, last = results("log.jsonl")
    assert first["readPlay"] == last["readPlay"]
    assert wrong["error"]["reason"] == "ERROR_REASON_MALFORMED_MESSAGE"
    assert "is half a character" in wrong["error"]["message"]


def test_whole_characters_may_be_escaped(folder):
    (folder / "log.jsonl").write_bytes(rb'{"read_play": {"cards": {"text": "\u26633 \u26653"}}}' + b"\n")
    assert invoke("laizi replay log.jsonl -r huanle").exit_code == 0
    (folder / "log.jsonl").write_bytes(rb'{"read_play": {"cards": {"text": "\ud83d\ude00"}}}' + b"\n")
    invoke("laizi replay log.jsonl -r huanle")
    assert results("log.jsonl")[0]["error"]["reason"] == "ERROR_REASON_UNKNOWN_RANK"


@pytest.mark.parametrize("arguments", ["read {}", "read 33 -w {}", "read 33 -r {}", "hu {}", "read 33 --target {}"])
def test_bytes_that_are_no_text_are_told_in_one_line(arguments):
    typed = [b"\xff" if word == "{}" else word.encode() for word in arguments.split()]
    done = subprocess.run(
        [sys.executable, "-m", "laizi_service", *typed], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (2, "Error: what was typed is not UTF-8: byte 0xff\n")


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("cards,rules.overrides.fields[0].key", "column 'rules.overrides.fields[0].key' is no field"),
        ("cards,rules.overrides.fields", "column 'rules.overrides.fields' is no field"),
        ("cards,rules.overrides", "column 'rules.overrides' is no field"),
        ("cards,wilds[0]", "column 'wilds[0]' is no field"),
        ("cards,cards", "two columns are named 'cards'"),
        ("cards.text,cards", "columns 'cards.text' and 'cards' say the same field"),
    ],
)
def test_a_header_that_cannot_be_is_refused_in_one_line(header, told, folder):
    (folder / "log.csv").write_text(f"{header}\n33,33\n", encoding="utf-8")
    before = names(folder)
    done = invoke("laizi replay log.csv --as read_play -r huanle")
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
    assert done.stderr.startswith(f"Error: log.csv: {told}")
    assert names(folder) == before


def test_a_column_of_parquet_has_a_type_that_its_field_can_hold(folder):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    for column, told in (
        ({"rules": [5]}, "column 'rules' holds whole numbers, expected text"),
        ({"last_play": [0.5]}, "column 'last_play' holds double, expected true or false or whole numbers or text"),
        ({"cards": [1.5]}, "column 'cards' holds double, expected text or bytes or whole numbers"),
        ({"cards.codes": [True]}, "column 'cards.codes' holds true or false, expected bytes or text"),
    ):
        parquet.write_table(arrow.table(column), folder / "log.parquet")
        done = invoke("laizi replay log.parquet --as read_play -r huanle")
        assert (done.exit_code, done.stderr) == (2, f"Error: log.parquet: {told}\n")
    codes = cards.read("3d 3h").codes()
    table = {"cards.codes": [codes], "last_play": arrow.array([None], arrow.null())}
    parquet.write_table(arrow.table(table), folder / "log.parquet")
    assert invoke("laizi replay log.parquet --as read_play -r huanle").exit_code == 0
    assert results("log.parquet")[0]["readPlay"]["taken"] == "pair:3:1"


def test_a_damaged_parquet_file_is_told_in_one_line(folder):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    wrong = arrow.Array.from_buffers(
        arrow.string(), 1, [None, arrow.py_buffer(b"\0\0\0\0\1\0\0\0"), arrow.py_buffer(b"\xff")]
    )
    parquet.write_table(arrow.table({"cards": wrong}), folder / "log.parquet")
    done = invoke("laizi replay log.parquet --as read_play -r huanle")
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
    assert "the Parquet file is damaged" in done.stderr


def test_codes_in_text_are_base64(folder):
    codes = base64.b64encode(cards.read("3d 3h").codes()).decode()
    (folder / "log.csv").write_text(f"cards.codes\n{codes}\n!\n", encoding="utf-8")
    invoke("laizi replay log.csv --as read_play -r huanle")
    pair, wrong = results("log.csv")
    assert pair["readPlay"]["taken"] == "pair:3:1"
    assert wrong["error"]["message"].startswith("column cards.codes: ")
