"""Dou Dizhu cards: text, byte codes and counts, turned into each other.

A rank is its index in :data:`RANKS`, weakest first: ``3`` is 0, ``2`` is 12, the black joker
``X`` is 13, the red joker ``Y`` is 14. Suits matter only where the rules make single cards wild
(the two red sevens), so a card may be written without one. The notation is described in
``docs/notation.md``.

>>> read("33347")
Cards('33347')
>>> read("7h ♠10 大王").text()
'7h Ts Y'
>>> read(bytes([0x27, 0x3A, 0x4F])).text()
'7h Ts Y'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import le, mul, sub
from typing import Final, NoReturn

from laizi.errors import CardsError, ErrorReason, NotationError
from laizi.notation import FULL_WIDTH, SEPARATORS, check_codes, check_size

__all__ = [
    "BLACK_JOKER",
    "CODES",
    "COPIES",
    "HAND_LIMIT",
    "PACK",
    "RANKS",
    "RED_JOKER",
    "SUITS",
    "Cards",
    "code_of",
    "in_order",
    "rank_of_code",
    "ranks_of",
    "read",
    "stood_for",
]

RANKS: Final = "3456789TJQKA2XY"
SUITS: Final = "dchs"
"""Diamonds, clubs, hearts, spades: the order of the byte codes."""

BLACK_JOKER: Final = 13
RED_JOKER: Final = 14
COPIES: Final = bytes([4] * 13 + [1, 1])
"""How many cards of each rank the pack of 54 holds."""

HAND_LIMIT: Final = 20
"""Most cards in a hand: the landlord's 17 and the bottom."""

PACK: Final = 54

_JOKER_CODES: Final = (0x4E, 0x4F)
_SUIT_GLYPHS: Final = "♦♣♥♠"
_JOKER_NAMES: Final = ("小王", "大王")

_BITS_PER_RANK: Final = 4

_STOOD_FOR: Final = 12
"""Most cards of a rank that a play can stand for: four natural ones and all of two wild ranks."""

_SUIT_OF: Final = {
    **dict(zip("dchsDCHS", (0, 1, 2, 3) * 2, strict=True)),
    **dict(zip("♦♣♥♠♢♧♡♤", (0, 1, 2, 3) * 2, strict=True)),
    "方块": 0,
    "方片": 0,
    "梅花": 1,
    "草花": 1,
    "红桃": 2,
    "红心": 2,
    "黑桃": 3,
}
_RANK_OF: Final = {
    **{letter: index for index, letter in enumerate(RANKS)},
    **{letter.lower(): index for index, letter in enumerate(RANKS)},
    "10": 7,
    "小王": 13,
    "大王": 14,
    "🃏": 13,
    "🂿": 14,
}
# A variation selector may follow a glyph: it only asks for a coloured picture.
_GLYPH: Final = "[♦♣♥♠♢♧♡♤]\ufe0f?"
_NAME: Final = "方块|方片|梅花|草花|红桃|红心|黑桃"
_PLAIN: Final = "10|[2-9TtJjQqKkAa]"
_JOKER: Final = "[XxYy]|小王|大王|[🃏🂿]\ufe0f?"
# A suit glyph stands before the rank in a word that begins with one, else after it. So `♥7♥8` and
# `7♥8♥` both say what they seem to say, and no text has two meanings.
_GLYPH_FIRST: Final = re.compile(
    f"(?P<before>{_GLYPH}|{_NAME})?(?P<rank>{_PLAIN})(?P<after>[dchsDCHS])?|(?P<joker>{_JOKER})"
)
_GLYPH_LAST: Final = re.compile(
    f"(?P<before>{_NAME})?(?P<rank>{_PLAIN})(?P<after>[dchsDCHS]|{_GLYPH})?|(?P<joker>{_JOKER})"
)


def code_of(rank: int, suit: int) -> int:
    """Return the byte code of a rank and a suit (an index of :data:`SUITS`; jokers have none)."""
    if rank >= BLACK_JOKER:
        return _JOKER_CODES[rank - BLACK_JOKER]
    return suit << 4 | (rank + 2) % 13 + 1


CODES: Final = frozenset(code_of(rank, suit) for rank in range(len(RANKS)) for suit in range(len(SUITS)))
"""The 54 byte codes that name a card."""

_RANK_BY_CODE: Final = bytes(
    code - _JOKER_CODES[0] + BLACK_JOKER if code in _JOKER_CODES else ((code & 15) - 3) % 13 for code in range(256)
)


def rank_of_code(code: int) -> int:
    """Return the rank index of a byte code that is known to be a card's."""
    return _RANK_BY_CODE[code]


def _first(codes: Iterable[int], counts: bytes) -> tuple[int, ...]:
    """The first so many codes of each rank."""
    left = bytearray(counts)
    chosen = []
    for code in codes:
        rank = _RANK_BY_CODE[code]
        if left[rank]:
            left[rank] -= 1
            chosen.append(code)
    return tuple(chosen)


def _rank_of(code: int, position: int) -> int:
    if code not in CODES:
        raise NotationError(
            ErrorReason.UNKNOWN_CARD_CODE, f"byte {position} is 0x{code:02X}, which is no card", position=position
        )
    return rank_of_code(code)


def _by_rank(code: int) -> tuple[int, int]:
    return _RANK_BY_CODE[code], code


@dataclass(frozen=True, slots=True)
class Cards:
    """A multiset of cards of one pack. The order in which they were written plays no part.

    ``counts`` holds 15 bytes: how many cards of each rank. ``suited`` holds, in rising order of
    rank and suit, the byte codes of those cards, jokers aside, whose suit was given.
    """

    counts: bytes
    suited: tuple[int, ...] = ()

    @classmethod
    def from_text(cls, text: str) -> Cards:
        """Read a text such as ``33347``, ``7h 7d`` or ``♥7 10 小王``.

        Raises NotationError (UNKNOWN_RANK, UNKNOWN_SUIT) with the position of the first wrong
        character, CardsError (TOO_MANY_COPIES, DUPLICATE_CARD) with that of the card too many.
        """
        counts = bytes(map(text.count, RANKS)) if len(text) <= PACK else b""
        if sum(counts) == len(text) and all(map(le, counts, COPIES)):
            return cls(counts)  # ranks alone, as most texts are: no need to look at each letter
        collector = _Collector()
        for position, rank, suit in _scan(text):
            collector.add(rank, suit, position)
        return collector.cards()

    @classmethod
    def from_codes(cls, codes: bytes) -> Cards:
        """Read one byte a card: 0x01-0x0D diamonds A-K, 0x11 clubs, 0x21 hearts, 0x31 spades,
        0x4E black joker, 0x4F red joker.

        Raises NotationError (UNKNOWN_CARD_CODE) or CardsError (DUPLICATE_CARD) with the position
        of the byte.
        """
        if len(CODES.intersection(codes)) == len(codes):
            ranks = bytes(codes).translate(_RANK_BY_CODE)
            suited = sorted((code for code in codes if code < _JOKER_CODES[0]), key=_by_rank)
            return cls(bytes(map(ranks.count, range(len(RANKS)))), tuple(suited))
        collector = _Collector()
        for position, code in enumerate(codes):
            collector.add(_rank_of(code, position), code >> 4, position)
        return collector.cards()

    @classmethod
    def from_counts(cls, counts: bytes) -> Cards:
        """Take 15 counts by rank. Raises CardsError (TOO_MANY_COPIES, COUNT_OUT_OF_RANGE)."""
        if len(counts) != len(RANKS):
            raise CardsError(
                ErrorReason.COUNT_OUT_OF_RANGE,
                f"{len(counts)} counts given, {len(RANKS)} ranks exist",
                limit=len(RANKS),
            )
        for rank, count in enumerate(counts):
            if count > COPIES[rank]:
                raise _too_many_copies(rank, count, rank)
        return cls(bytes(counts))

    @classmethod
    def from_word(cls, word: int) -> Cards:
        """Take a word of four-bit counts, the weakest rank in the lowest bits. Raises as :meth:`from_counts`."""
        if word >> _BITS_PER_RANK * len(RANKS):
            raise CardsError(
                ErrorReason.COUNT_OUT_OF_RANGE, f"{word:#x} is no word of {len(RANKS)} counts", limit=len(RANKS)
            )
        return cls.from_counts(bytes(word >> _BITS_PER_RANK * rank & 15 for rank in range(len(RANKS))))

    def word(self) -> int:
        """Return the counts as one 64-bit word, four bits a rank, the weakest rank lowest."""
        return sum(count << _BITS_PER_RANK * rank for rank, count in enumerate(self.counts))

    def text(self) -> str:
        """Return the canonical text, weakest card first: ``33347``; ``7d 7h X`` when suits are
        known."""
        if not self.suited:
            return "".join(map(mul, RANKS, self.counts))
        parts = [RANKS[rank] + (SUITS[suit] if suit >= 0 else "") for rank, suit in self]
        return " ".join(parts)

    def human(self) -> str:
        """Return the text that people read at a table: ``♥7 10 小王``."""
        return " ".join(
            _JOKER_NAMES[rank - BLACK_JOKER]
            if rank >= BLACK_JOKER
            else (_SUIT_GLYPHS[suit] if suit >= 0 else "") + RANKS[rank].replace("T", "10")
            for rank, suit in self
        )

    def codes(self) -> bytes:
        """Return one byte a card, weakest card first.

        Raises CardsError (SUIT_MISSING) when a suit is unknown: inventing one would name a card
        that the caller never had.
        """
        jokers = bytes(_JOKER_CODES[:1]) * self.counts[BLACK_JOKER] + bytes(_JOKER_CODES[1:]) * self.counts[RED_JOKER]
        codes = bytes(self.suited) + jokers
        if len(codes) < len(self):
            raise CardsError(ErrorReason.SUIT_MISSING, f"{self.text()} has cards without a suit, so no codes")
        return codes

    def split(self, wild_ranks: Iterable[int], wild_codes: Iterable[int] = ()) -> tuple[Cards, Cards]:
        """Return (natural cards, wild cards): wild are all cards of some ranks and single cards.

        Raises CardsError (SUIT_MISSING) when a rank is only partly wild and the suit that would
        tell is not known.
        """
        codes = frozenset(wild_codes)
        jokers = {rank_of_code(code) for code in codes.intersection(_JOKER_CODES)}
        ranks = jokers.union(wild_ranks)
        for rank in {rank_of_code(code) for code in codes} - ranks:
            if self.counts[rank] > len(self._suited_of(rank)):
                raise CardsError(
                    ErrorReason.SUIT_MISSING,
                    f"only some cards of rank {RANKS[rank]} are wild: give their suits",
                )
        wild_suited = tuple(code for code in self.suited if code in codes or rank_of_code(code) in ranks)
        wild = bytearray(count if rank in ranks else 0 for rank, count in enumerate(self.counts))
        for code in wild_suited:
            wild[rank_of_code(code)] += rank_of_code(code) not in ranks
        natural_suited = tuple(code for code in self.suited if code not in wild_suited)
        return Cards(bytes(map(sub, self.counts, wild)), natural_suited), Cards(bytes(wild), wild_suited)

    def covers(self, part: Cards) -> bool:
        """Tell whether a hand can hold ``part``: cards without a suit may be any of their rank."""
        return all(
            part.counts[rank] <= self.counts[rank]
            and len(part._suited_of(rank) - self._suited_of(rank)) <= self.counts[rank] - len(self._suited_of(rank))
            for rank in range(15)
        )

    def take(self, counts: bytes) -> Cards:
        """Choose cards of this hand by 15 counts that do not exceed its own: known suits first,
        in the order of the codes."""
        return Cards(bytes(counts), _first(self.suited, counts) if self.suited else ())

    def without(self, part: Cards) -> Cards:
        """Return what remains when ``part``, which this hand covers, is taken away."""
        left = bytes(map(sub, self.counts, part.counts))
        if not self.suited:
            return Cards(left)
        gone = frozenset(part.suited)
        last = _first([code for code in reversed(self.suited) if code not in gone], left)
        return Cards(left, last[::-1])

    def _suited_of(self, rank: int) -> frozenset[int]:
        return frozenset(code for code in self.suited if rank_of_code(code) == rank)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Yield (rank, suit) of each card, weakest first; the suit is -1 where there is none."""
        position = 0
        for rank, count in enumerate(self.counts):
            for _ in range(count):
                # The known suits of a rank come first; they stand in the same order.
                if position < len(self.suited) and _RANK_BY_CODE[self.suited[position]] == rank:
                    yield rank, self.suited[position] >> 4
                    position += 1
                else:
                    yield rank, -1

    def __len__(self) -> int:
        return sum(self.counts)

    def __repr__(self) -> str:
        return f"Cards({self.text()!r})"


def read(
    source: Cards | str | bytes,
    *,
    path: str = "",
    limit: int = PACK,
    empty: ErrorReason | None = None,
) -> Cards:
    """Read cards given as text, as byte codes, or already read.

    ``path`` names the field in errors. Raises what :meth:`Cards.from_text` and
    :meth:`Cards.from_codes` raise, CardsError (HAND_TOO_LARGE) beyond ``limit`` cards, and
    CardsError with the reason ``empty`` (EMPTY_PLAY, EMPTY_HAND), where given, for no cards.
    TypeError for a source of any other type.
    """
    try:
        if isinstance(source, str):
            cards = Cards.from_text(source)
        elif isinstance(source, Cards):
            cards = source
        else:
            check_codes(source, "cards")
            cards = Cards.from_codes(source)
        check_size(len(cards), "cards", limit, empty)
    except (NotationError, CardsError) as error:
        raise error.under(path) from None
    return cards


def stood_for(
    source: Cards | str | bytes,
    *,
    path: str = "",
    limit: int = PACK,
    empty: ErrorReason | None = None,
) -> Cards:
    """Read the ranks that the cards of a play stand for: as `read`, but four wilds may make eight cards of a rank.

    Suits play no part. Raises what :func:`read` raises, TOO_MANY_COPIES beyond 12 cards of a rank.
    """
    if isinstance(source, Cards):
        return read(source, path=path, limit=limit, empty=empty)
    counts = [0] * len(RANKS)
    try:
        if isinstance(source, str):
            found = [(position, rank) for position, rank, _ in _scan(source)]
        else:
            found = [(position, _rank_of(code, position)) for position, code in enumerate(source)]
        for position, rank in found:
            counts[rank] += 1
            if counts[rank] > (_STOOD_FOR if rank < BLACK_JOKER else 1):
                raise CardsError(
                    ErrorReason.TOO_MANY_COPIES,
                    f"{counts[rank]} cards of rank {RANKS[rank]}, more than any play can be",
                    position=position,
                    limit=_STOOD_FOR if rank < BLACK_JOKER else 1,
                )
        check_size(len(found), "cards", limit, empty)
    except (NotationError, CardsError) as error:
        raise error.under(path) from None
    return Cards(bytes(counts))


def in_order(source: str | bytes, *, path: str = "") -> tuple[int, ...]:
    """Read the rank indices of cards in the order in which they are written, as the bottom cards are turned.

    Raises what :func:`read` raises.
    """
    read(source, path=path)
    if isinstance(source, str):
        return tuple(rank for _, rank, _ in _scan(source))
    return tuple(map(rank_of_code, source))


def ranks_of(text: str, *, path: str = "") -> tuple[int, ...]:
    """Read distinct ranks such as ``7`` or ``79`` in rising order, as wild ranks are written.

    Raises NotationError (UNKNOWN_RANK; UNKNOWN_SUIT for a suit, which a rank has not) and
    CardsError (TOO_MANY_COPIES) for a rank named twice.
    """
    seen: set[int] = set()
    try:
        for position, rank, suit in _scan(text):
            if suit >= 0:
                raise NotationError(
                    ErrorReason.UNKNOWN_SUIT,
                    "a rank has no suit; name single wild cards as cards",
                    position=position,
                )
            if rank in seen:
                raise CardsError(
                    ErrorReason.TOO_MANY_COPIES,
                    f"rank {RANKS[rank]} is named twice",
                    position=position,
                    limit=1,
                )
            seen.add(rank)
    except (NotationError, CardsError) as error:
        raise error.under(path) from None
    return tuple(sorted(seen))


class _Collector:
    """Counts cards one by one, so that an error can point at the first that is too many."""

    def __init__(self) -> None:
        self._counts = bytearray(15)
        self._suited: set[int] = set()

    def add(self, rank: int, suit: int, position: int) -> None:
        if suit >= 0 and rank < BLACK_JOKER:
            code = code_of(rank, suit)
            if code in self._suited:
                raise CardsError(
                    ErrorReason.DUPLICATE_CARD,
                    f"{RANKS[rank]}{SUITS[suit]} is given twice, the pack holds it once",
                    position=position,
                    limit=1,
                )
            self._suited.add(code)
        self._counts[rank] += 1
        if self._counts[rank] > COPIES[rank]:
            raise _too_many_copies(rank, self._counts[rank], position)

    def cards(self) -> Cards:
        return Cards(bytes(self._counts), tuple(sorted(self._suited, key=_by_rank)))


def _scan(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield (position, rank, suit or -1) of each card of a text."""
    plain = text.translate(FULL_WIDTH)
    start = 0
    pattern = _GLYPH_LAST
    word_begins = True
    while start < len(plain):
        gap = SEPARATORS.match(plain, start)
        if gap:
            word_begins = True
            start = gap.end()
            continue
        if word_begins:
            pattern = _GLYPH_FIRST if plain[start] in "♦♣♥♠♢♧♡♤" else _GLYPH_LAST
            word_begins = False
        card = pattern.match(plain, start)
        if card is None:
            _refuse(plain, start)
        if card["joker"]:
            yield start, _RANK_OF[card["joker"].rstrip("\ufe0f")], -1
        else:
            before, after = card["before"], card["after"]
            if before and after:
                raise NotationError(
                    ErrorReason.UNKNOWN_SUIT,
                    f"{card[0]!r} names a suit twice",
                    position=card.start("after"),
                )
            suit = _SUIT_OF[(before or after).rstrip("\ufe0f")] if before or after else -1
            yield start, _RANK_OF[card["rank"]], suit
        start = card.end()


def _refuse(text: str, position: int) -> NoReturn:
    letter = text[position]
    if letter in _SUIT_OF or letter in "方梅草红黑":
        raise NotationError(
            ErrorReason.UNKNOWN_SUIT,
            f"{letter!r} at character {position} is a suit without a rank",
            position=position,
        )
    raise NotationError(
        ErrorReason.UNKNOWN_RANK,
        f"{letter!r} at character {position} is no rank; ranks are {RANKS} and 10",
        position=position,
    )


def _too_many_copies(rank: int, count: int, position: int) -> CardsError:
    return CardsError(
        ErrorReason.TOO_MANY_COPIES,
        f"{count} cards of rank {RANKS[rank]}, the pack holds {COPIES[rank]}",
        position=position,
        limit=COPIES[rank],
    )
