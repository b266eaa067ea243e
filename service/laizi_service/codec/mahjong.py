"""Hands and wins of mahjong, from messages and back."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Final

from laizi.errors import ErrorReason, HuRefusal, LaiziError, RequestError
from laizi.mahjong import Decomposition, Evaluator, HuAnswer, HuType, Meld, MeldKind, Shape
from laizi.mahjong.evaluator import DECISIONS_OF_REFUSAL
from laizi.mahjong.verdicts import option_of
from laizi.rules import MahjongRules, RuleSet
from laizi.settlement.mahjong import SITUATION_NAMES, TYPE_NAMES
from laizi.tiles import Tiles
from laizi.v1 import errors_pb2, types_pb2
from laizi.v1 import mahjong_pb2 as pb
from laizi_service.codec import Enum, Form, provenance, source, write_fraction, write_tiles

__all__ = [
    "SHAPES",
    "HuParts",
    "read_melds",
    "write_decomposition",
    "write_hu_refusals",
    "write_situations",
    "write_tile",
    "write_value",
]

_MELDS: Final = Enum(pb.MeldKind, "MELD_KIND", MeldKind)
SHAPES: Final = Enum(pb.HuShape, "HU_SHAPE", Shape)
_REFUSALS: Final = Enum(errors_pb2.HuRefusal, "HU_REFUSAL", HuRefusal)

_NAMES: Final = {**TYPE_NAMES, **SITUATION_NAMES}


def read_melds(melds: Iterable[pb.Meld], *, seats: int = 4, own: int | None = None) -> list[Meld]:
    """Return open melds and kongs of one seat, which is ``own`` where known.

    Raises LaiziError with a path under ``melds[…]``.
    """
    read = []
    for index, meld in enumerate(melds):
        kind = _MELDS.read(meld.kind, f"melds[{index}].kind")
        if meld.HasField("from_seat"):
            _check_giver(kind, meld.from_seat, seats, own, f"melds[{index}].from_seat")
        try:
            read.append(Meld(kind, source(meld.tiles), meld.from_seat if meld.HasField("from_seat") else None))
        except LaiziError as error:
            raise error.under(f"melds[{index}]") from None
    return read


def _check_giver(kind: MeldKind, seat: int, seats: int, own: int | None, path: str) -> None:
    if kind is MeldKind.AN_GANG:
        raise RequestError(ErrorReason.CONTRADICTORY_FIELDS, "a concealed kong takes no discard", path=path)
    if not 0 <= seat < seats:
        message = f"seats are 0 to {seats - 1}, not {seat}"
        raise RequestError(ErrorReason.SEAT_OUT_OF_RANGE, message, path=path, limit=seats - 1)
    if seat == own:
        raise RequestError(ErrorReason.CONTRADICTORY_FIELDS, "nobody claims his own discard", path=path)


def write_tile(index: int, used: Form) -> types_pb2.Tiles:
    """Return one tile as a message."""
    return write_tiles(Tiles.from_indices((index,)), used)


def write_value(answer: HuAnswer, rule_set: RuleSet) -> pb.HuValue:
    """Return win or not, and what it is worth."""
    return pb.HuValue(
        hu=answer.hu,
        types=[*write_types(answer.types, rule_set), *write_situations(answer, rule_set)],
        big=answer.hu and not answer.small,
        hard=answer.hard,
        base=None if answer.base is None else write_fraction(answer.base),
        points=None if answer.points is None else write_fraction(answer.points),
        refusals=write_hu_refusals(answer.refusals, rule_set),
        clauses=answer.clauses,
    )


def write_hu_refusals(refusals: Iterable[HuRefusal], rule_set: RuleSet) -> list[errors_pb2.HuRefusalDetail]:
    """Return why tiles are no win."""
    return [
        errors_pb2.HuRefusalDetail(
            reason=_REFUSALS.write(refusal),
            text=refusal.meaning,
            clauses=rule_set.cite(*DECISIONS_OF_REFUSAL.get(refusal, ())),
        )
        for refusal in refusals
    ]


def write_types(types: Iterable[HuType], rule_set: RuleSet) -> list[pb.HuType]:
    """Return hu types with their base points."""
    rules = rule_set.rules
    assert isinstance(rules, MahjongRules)
    written = []
    for hu_type in types:
        situational = hu_type.value in SITUATION_NAMES
        options = None if situational else getattr(rules.hu.types, hu_type.value)
        base = rules.score.big.base if options is None else options.base or rules.score.big.base
        written.append(
            pb.HuType(
                name=hu_type,
                name_zh=_NAMES[hu_type.value][1],
                value=write_fraction(base),
                situational=situational,
                clauses=rule_set.cite(option_of(hu_type)),
            )
        )
    return written


def write_situations(answer: HuAnswer, rule_set: RuleSet) -> list[pb.HuType]:
    """Return the situations of a win that multiply its points."""
    rules = rule_set.rules
    assert isinstance(rules, MahjongRules)
    return [
        pb.HuType(
            name=situation,
            name_zh=_NAMES[situation.value][1],
            value=write_fraction(getattr(rules.hu.situational, situation.value).factor),
            situational=True,
            is_factor=True,
            clauses=rule_set.cite(option_of(situation)),
        )
        for situation in answer.factors
    ]


class HuParts:
    """The parts of the answers of CheckHu that many hands have in common, as bytes of the fields in which they stand.

    ``context`` and ``code`` are those of `laizi.mahjong.Evaluator.won`.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def provenance(self) -> bytes:
        """Return the provenance of a response."""
        return pb.CheckHuResponse(provenance=provenance(self._evaluator.ruleset)).SerializeToString()

    def refused(self, refusals: int) -> bytes:
        """Return the value of a response: no win, for a set of reasons (see `laizi.mahjong.Evaluator.refused`)."""
        value = write_value(self._evaluator.refused(refusals), self._evaluator.ruleset)
        return pb.CheckHuResponse(value=value).SerializeToString()

    def value(self, context: int, code: int, hard: bool) -> bytes:
        """Return the value of a response: a win."""
        value = write_value(self._evaluator.won(context, code, hard), self._evaluator.ruleset)
        return pb.CheckHuResponse(value=value).SerializeToString()

    def worth(self, context: int, code: int, hard: bool, refused: bool) -> bytes:
        """Return types and points of a decomposition, that of a win or of a hand that is refused."""
        answer, rule_set = self._evaluator.won(context, code, hard), self._evaluator.ruleset
        assert answer.points is not None
        situations = [] if refused else write_situations(answer, rule_set)
        return _worth(answer.types, answer.points, situations, rule_set).SerializeToString()


def _worth(
    types: Iterable[HuType], points: Fraction, situations: Iterable[pb.HuType], rule_set: RuleSet
) -> pb.Decomposition:
    """Return the part of a decomposition that tells what it is worth."""
    return pb.Decomposition(types=[*write_types(types, rule_set), *situations], points=write_fraction(points))


def write_decomposition(
    decomposition: Decomposition,
    melds: Sequence[Meld],
    rule_set: RuleSet,
    situations: Sequence[pb.HuType],
    used: Form,
) -> pb.Decomposition:
    """Return one way to read a win, with the situations that multiply every one of them."""
    written = _worth(decomposition.types, decomposition.points, situations, rule_set)
    written.shape = SHAPES.write(decomposition.shape)
    written.groups.extend(_groups(decomposition, melds, used))
    written.hard = all(tile == face for tile, face in (*decomposition.wilds, *decomposition.stand_ins))
    return written


def _groups(decomposition: Decomposition, melds: Sequence[Meld], used: Form) -> Iterator[pb.HuGroup]:
    """The groups, each with what its own wilds stand for; the core tells it for the whole hand."""
    standing = Counter((*decomposition.wilds, *decomposition.stand_ins))
    for meld, faces in zip(melds, decomposition.open_melds, strict=True):
        pairs = _pairs_of_meld(tuple(meld.tiles), faces, standing)
        standing -= Counter(pairs)
        yield _group(faces, pairs, used, laid=True)
    concealed = [*decomposition.melds, *((face, face) for face in decomposition.pairs)]
    if decomposition.singles:
        concealed.append(decomposition.singles)
    for faces in concealed:
        pairs = []
        for face in faces:
            pair = next((pair for pair in standing if pair[1] == face), None)
            if pair is not None:
                pairs.append(pair)
                standing -= Counter([pair])
        yield _group(faces, pairs, used, laid=False)


def _pairs_of_meld(
    tiles: tuple[int, ...], faces: tuple[int, ...], standing: Counter[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Which of the stand-ins lie in a meld: those by which its tiles make its faces."""
    special = {tile for tile, _ in standing}
    for order in itertools.permutations(tiles):
        pairs = [(tile, face) for tile, face in zip(order, faces, strict=True) if tile in special]
        plain = all(tile == face for tile, face in zip(order, faces, strict=True) if tile not in special)
        if plain and Counter(pairs) <= standing:
            return pairs
    raise AssertionError("the melds of an answer are those of its request")


def _group(faces: tuple[int, ...], pairs: Sequence[tuple[int, int]], used: Form, *, laid: bool) -> pb.HuGroup:
    left = Counter(pairs)
    physical = []
    for face in faces:
        pair = next((pair for pair in left if pair[1] == face), None)
        if pair is not None:
            left -= Counter([pair])
        physical.append(face if pair is None else pair[0])
    return pb.HuGroup(
        kind=_kind(faces),
        tiles=write_tiles(Tiles.from_indices(physical), used),
        stand_ins=[
            pb.TileStandIn(wild=write_tile(tile, used), stands_for=write_tile(face, used)) for tile, face in pairs
        ],
        laid=laid,
    )


def _kind(faces: tuple[int, ...]) -> pb.GroupKind.ValueType:
    if len(faces) == 2:
        return pb.GROUP_KIND_PAIR
    if len(faces) > 4:
        return pb.GROUP_KIND_LOOSE
    if len(faces) == 4:
        return pb.GROUP_KIND_KONG
    return pb.GROUP_KIND_TRIPLET if len(set(faces)) == 1 else pb.GROUP_KIND_RUN
