"""What the README and the integration page show, in both editions, is what the program prints. Their Python examples
run as doctests."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf import json_format
from google.protobuf.message_factory import GetMessageClass

from laizi import rules
from laizi.v1 import doudizhu_pb2, mahjong_pb2, rules_pb2
from tests.service.test_demo import ENVIRONMENT

ROOT = Path(__file__).parents[2]
READMES = ("README.md", "README.zh-CN.md")
EDITIONS = (READMES, ("docs/integration.md", "docs/integration.zh-CN.md"))
PAGES = [page for pair in EDITIONS for page in pair]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"\$ grpcurl -plaintext -d '([^']+)' 127\.0\.0\.1:50051 (\S+)/(\w+)\n(\{.*?\n\})\n```", re.DOTALL)
SHOWN = re.compile(r"```text\n(.*?)```", re.DOTALL)
PRESET = re.compile(r"^\| `(\w+)` \| (\w+) \| (\S+) \|", re.MULTILINE)
SERVICES = {
    file.DESCRIPTOR.services_by_name[name].full_name: file.DESCRIPTOR.services_by_name[name]
    for file, name in (
        (doudizhu_pb2, "DoudizhuService"),
        (mahjong_pb2, "MahjongService"),
        (rules_pb2, "RulesService"),
    )
}


def text_of(readme: str) -> str:
    return (ROOT / readme).read_text(encoding="utf-8")


@pytest.mark.parametrize("readme", PAGES)
def test_the_calls_shown_get_the_answers_shown(raw, readme):
    calls = CALL.findall(text_of(readme))
    assert calls
    for request, service, name, shown in calls:
        method = SERVICES[service].methods_by_name[name]
        message = json_format.Parse(request, GetMessageClass(method.input_type)())
        call = raw.unary_unary(
            f"/{service}/{name}",
            request_serializer=lambda sent: sent.SerializeToString(),
            response_deserializer=GetMessageClass(method.output_type).FromString,
        )
        expected = json.loads(shown)
        answer = json_format.MessageToDict(call(message))
        # It changes with every option that the schema gains.
        expected["provenance"]["ruleSetDigest"] = answer["provenance"]["ruleSetDigest"]
        assert answer == expected


@pytest.mark.parametrize("readme", READMES)
def test_the_output_shown_is_the_demo_s(readme):
    command = [sys.executable, "-m", "laizi_service.demo"]
    printed = subprocess.run(
        command, capture_output=True, check=True, text=True, encoding="utf-8", timeout=60, env=ENVIRONMENT
    ).stdout
    shown = SHOWN.findall(text_of(readme))
    assert shown
    assert all(excerpt in printed for excerpt in shown)


@pytest.mark.parametrize("readme", READMES)
def test_the_table_has_each_preset_with_its_game_and_name(readme):
    assert sorted(PRESET.findall(text_of(readme))) == [
        (name, rules.load(name).game, rules.load(name).title["zh"]) for name in rules.presets()
    ]


@pytest.mark.parametrize("page", PAGES)
def test_every_link_and_folder_exists(page):
    links = [link for link in re.findall(r"\]\(([^)]+)\)", text_of(page)) if "://" not in link]
    assert links
    assert all((ROOT / page).parent.joinpath(link).exists() for link in links)


@pytest.mark.parametrize(("english", "chinese"), EDITIONS)
def test_both_editions_have_the_same_parts(english, chinese):
    parts = [re.findall(r"^(#+) |^(```\w+)$", text_of(page), re.MULTILINE) for page in (english, chinese)]
    assert parts[0] == parts[1]


def test_both_editions_of_the_integration_page_have_the_same_code_and_diagrams():
    """Of a diagram, who sends to whom in which branches; the words differ."""
    words = re.compile(r"[:：].*|(?<=loop|.alt|.opt|else) .*| as .*")
    blocks = [BLOCK.findall(text_of(page)) for page in EDITIONS[1]]
    code, drawn = [
        [
            [words.sub("", body) if kind == "mermaid" else body for kind, body in found if kind in kinds]
            for found in blocks
        ]
        for kinds in (("python", "go", "console"), ("mermaid",))
    ]
    assert code[0] == code[1]
    assert drawn[0] == drawn[1]
    assert (len(code[0]), len(drawn[0])) == (5, 2)
