"""Reasons and refusals: one name, one number and one wording in the library and in the contract."""

import pickle
import re
from pathlib import Path

import pytest

from laizi import errors
from laizi.errors import CardsError, ErrorReason, LaiziError, NotationError, RequestError, RulesError
from laizi.v1 import doudizhu_pb2, errors_pb2

ENUMS = ["ErrorReason", "PlayRefusal", "HuRefusal", "AuctionRefusal", "ClaimRefusal"]
ERRORS_PROTO = Path(__file__).parents[2] / "proto/laizi/v1/errors.proto"


def prefix(enum: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", enum).upper() + "_"


@pytest.mark.parametrize("enum", ENUMS)
def test_names_and_numbers_are_those_of_the_contract(enum):
    library = {member.name: member.number for member in getattr(errors, enum)}
    contract = {name.removeprefix(prefix(enum)): number for name, number in getattr(errors_pb2, enum).items()}
    assert contract == {"UNSPECIFIED": 0, **library}


@pytest.mark.parametrize("enum", ENUMS)
def test_meanings_are_those_of_the_contract(enum):
    text = re.sub(
        r"\n *// ", " ", ERRORS_PROTO.read_text(encoding="utf-8").split(f"\nenum {enum} {{")[1].split("\n}")[0]
    )
    for member in getattr(errors, enum):
        comment = re.search(rf"(?: |^)([^\n]*)\n *{prefix(enum)}{member.name} = ", text)
        assert comment is not None, member
        assert comment[1].casefold().endswith(member.meaning.casefold() + "."), member


@pytest.mark.parametrize("enum", ENUMS)
def test_a_member_is_its_name(enum):
    members = list(getattr(errors, enum))
    assert all(member == member.name == str(member) for member in members)
    assert [member.number for member in members] == list(range(1, len(members) + 1))
    assert all(member.meaning and not member.meaning.endswith(".") for member in members)
    assert all(pickle.loads(pickle.dumps(member)) is member for member in members)


def test_columns_have_room_for_every_number():
    assert len(ErrorReason) < 256
    assert len(errors.PlayRefusal) <= 32
    assert len(errors.HuRefusal) <= 16
    assert max(doudizhu_pb2.PlayType.values()) < 256
    assert max(doudizhu_pb2.BombTier.values()) < 256


@pytest.mark.parametrize("cls", [LaiziError, NotationError, CardsError, RulesError, RequestError])
def test_an_error_tells_reason_path_position_and_limit(cls):
    error = cls(ErrorReason.TOO_MANY_COPIES, "five sevens", path="hand", position=4, limit=4)
    assert issubclass(cls, ValueError)
    for one in (error, pickle.loads(pickle.dumps(error))):
        assert type(one) is cls
        assert (one.reason, one.message, one.path) == (ErrorReason.TOO_MANY_COPIES, "five sevens", "hand")
        assert (one.position, one.limit, str(one)) == (4, 4, "hand: five sevens")
    bare = cls(ErrorReason.EMPTY_PLAY, "no cards given")
    assert (bare.path, bare.position, bare.limit, str(bare)) == ("", None, None, "no cards given")


@pytest.mark.parametrize(
    ("path", "prefix", "whole"),
    [
        ("tiles", "hands[3]", "hands[3].tiles"),
        ("[3].tiles", "hands", "hands[3].tiles"),
        ("", "hand", "hand"),
        ("hand", "", "hand"),
    ],
)
def test_under_shows_the_path_from_outside(path, prefix, whole):
    error = NotationError(ErrorReason.UNKNOWN_TILE, "no tile", path=path, position=2, limit=9).under(prefix)
    assert (type(error), error.path, error.position, error.limit) == (NotationError, whole, 2, 9)
