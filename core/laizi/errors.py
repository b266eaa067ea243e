"""What can be wrong with an input, and why a play, a win or an action is refused.

Two kinds of "no" are kept apart:

* a malformed input raises a :class:`LaiziError` with one :class:`ErrorReason` and the path of the
  offending field;
* "this is no legal play", "this is no win", "this seat may not do that" are *answers*. They carry
  a set of members of :class:`PlayRefusal`, :class:`HuRefusal`, :class:`AuctionRefusal` or
  :class:`ClaimRefusal`, in the order of precedence in which the members are declared.

Each member equals the name of the enum value of the same name in ``proto/laizi/v1/errors.proto``
(there with the prefix that protobuf asks for), and its :attr:`~Reason.number` equals that value's
number, so that a column of results can hold it in one byte.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self

__all__ = [
    "AuctionRefusal",
    "CardsError",
    "ClaimRefusal",
    "ErrorReason",
    "HuRefusal",
    "LaiziError",
    "NotationError",
    "PlayRefusal",
    "Reason",
    "RequestError",
    "RulesError",
]


class Reason(StrEnum):
    """A name that a program can switch on, with the number that the wire format uses for it."""

    number: int

    def __new__(cls, value: str) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.number = len(cls.__members__) + 1
        return member


class ErrorReason(Reason):
    """Why an input is malformed. Exactly one goes with each error."""

    # Notation: the text or the bytes do not name cards or tiles.
    UNKNOWN_RANK = "UNKNOWN_RANK"
    UNKNOWN_SUIT = "UNKNOWN_SUIT"
    UNKNOWN_CARD_CODE = "UNKNOWN_CARD_CODE"
    UNKNOWN_TILE = "UNKNOWN_TILE"
    UNKNOWN_TILE_CODE = "UNKNOWN_TILE_CODE"

    # Impossible cards and tiles.
    TOO_MANY_COPIES = "TOO_MANY_COPIES"
    DUPLICATE_CARD = "DUPLICATE_CARD"
    EMPTY_PLAY = "EMPTY_PLAY"
    EMPTY_HAND = "EMPTY_HAND"
    HAND_TOO_LARGE = "HAND_TOO_LARGE"
    SUIT_MISSING = "SUIT_MISSING"
    TILE_OUTSIDE_SET = "TILE_OUTSIDE_SET"
    WRONG_TILE_COUNT = "WRONG_TILE_COUNT"
    MALFORMED_MELD = "MALFORMED_MELD"
    MELD_NOT_ALLOWED = "MELD_NOT_ALLOWED"
    WILD_IN_MELD = "WILD_IN_MELD"
    WINNING_TILE_NOT_IN_HAND = "WINNING_TILE_NOT_IN_HAND"

    # Wild cards and tiles.
    WILD_NOT_ALLOWED = "WILD_NOT_ALLOWED"
    WRONG_WILD_COUNT = "WRONG_WILD_COUNT"
    WILD_IS_JOKER = "WILD_IS_JOKER"
    BAD_INDICATOR = "BAD_INDICATOR"

    # Rule sets.
    UNKNOWN_RULE_SET = "UNKNOWN_RULE_SET"
    WRONG_GAME = "WRONG_GAME"
    UNKNOWN_OPTION = "UNKNOWN_OPTION"
    MISSING_OPTION = "MISSING_OPTION"
    WRONG_OPTION_TYPE = "WRONG_OPTION_TYPE"
    BAD_OPTION_VALUE = "BAD_OPTION_VALUE"
    CONTRADICTORY_OPTIONS = "CONTRADICTORY_OPTIONS"
    MISSING_SOURCE = "MISSING_SOURCE"
    MALFORMED_RULES = "MALFORMED_RULES"
    RULE_SET_DIGEST_MISMATCH = "RULE_SET_DIGEST_MISMATCH"
    UNKNOWN_CLAUSE = "UNKNOWN_CLAUSE"

    # Plays that a request refers to.
    MALFORMED_READING = "MALFORMED_READING"
    DECLARED_SIZE_MISMATCH = "DECLARED_SIZE_MISMATCH"
    PREVIOUS_PLAY_ILLEGAL = "PREVIOUS_PLAY_ILLEGAL"
    AMBIGUOUS_PLAY = "AMBIGUOUS_PLAY"

    # Requests whose fields do not go together.
    MISSING_FIELD = "MISSING_FIELD"
    CONTRADICTORY_FIELDS = "CONTRADICTORY_FIELDS"
    VALUE_OUT_OF_RANGE = "VALUE_OUT_OF_RANGE"
    UNKNOWN_ENUM_VALUE = "UNKNOWN_ENUM_VALUE"
    SEAT_OUT_OF_RANGE = "SEAT_OUT_OF_RANGE"
    DUPLICATE_SEAT = "DUPLICATE_SEAT"
    CONTRADICTORY_CIRCUMSTANCES = "CONTRADICTORY_CIRCUMSTANCES"
    CONTRADICTORY_FACTORS = "CONTRADICTORY_FACTORS"
    TWO_WINNERS = "TWO_WINNERS"
    NO_WINNER = "NO_WINNER"
    GUARANTOR_WON = "GUARANTOR_WON"

    # Batches, columns and streams.
    TOO_MANY_ITEMS = "TOO_MANY_ITEMS"
    BAD_ROW_LENGTH = "BAD_ROW_LENGTH"
    COLUMN_LENGTH_MISMATCH = "COLUMN_LENGTH_MISMATCH"
    COUNT_OUT_OF_RANGE = "COUNT_OUT_OF_RANGE"
    DUPLICATE_CORRELATION_ID = "DUPLICATE_CORRELATION_ID"

    # The service itself, not the input.
    NOT_IMPLEMENTED = "NOT_IMPLEMENTED"
    OVERLOADED = "OVERLOADED"
    SHUTTING_DOWN = "SHUTTING_DOWN"
    INTERNAL_FAULT = "INTERNAL_FAULT"


class PlayRefusal(Reason):
    """Why cards are no legal play. An answer carries every member that applies."""

    NOT_IN_HAND = "NOT_IN_HAND"
    COUNT_FITS_NO_TYPE = "COUNT_FITS_NO_TYPE"
    CARDS_FIT_NO_TYPE = "CARDS_FIT_NO_TYPE"
    WILD_AS_JOKER = "WILD_AS_JOKER"
    RUN_THROUGH_TWO = "RUN_THROUGH_TWO"
    RUN_TOO_SHORT = "RUN_TOO_SHORT"
    WILDS_ALONE_FORBIDDEN = "WILDS_ALONE_FORBIDDEN"
    WILDS_ALONE_KEEP_RANK = "WILDS_ALONE_KEEP_RANK"
    WILDS_ALONE_ONLY_AS_LAST_PLAY = "WILDS_ALONE_ONLY_AS_LAST_PLAY"
    BODY_ALL_WILD_FORBIDDEN = "BODY_ALL_WILD_FORBIDDEN"
    BODY_ALL_WILD_KEEPS_RANK = "BODY_ALL_WILD_KEEPS_RANK"
    TYPE_NOT_PLAYED = "TYPE_NOT_PLAYED"
    TRIPLE_ONLY_AS_LAST_PLAY = "TRIPLE_ONLY_AS_LAST_PLAY"
    KICKER_KIND_NOT_CARRIED = "KICKER_KIND_NOT_CARRIED"
    KICKER_REPEATS_RANK = "KICKER_REPEATS_RANK"
    KICKER_IS_ROCKET = "KICKER_IS_ROCKET"
    KICKER_EQUAL_PAIRS = "KICKER_EQUAL_PAIRS"
    KICKER_OF_BODY_RANK = "KICKER_OF_BODY_RANK"
    SOFT_FOUR_CARRIES_NOTHING = "SOFT_FOUR_CARRIES_NOTHING"
    BOMB_TOO_LARGE = "BOMB_TOO_LARGE"
    BOMB_TIER_NOT_PLAYED = "BOMB_TIER_NOT_PLAYED"
    NON_BOMB_READING_EXISTS = "NON_BOMB_READING_EXISTS"
    SOFT_BOMB_WHILE_HOLDING_HARD = "SOFT_BOMB_WHILE_HOLDING_HARD"
    DECLARED_NOT_A_READING = "DECLARED_NOT_A_READING"
    DOES_NOT_BEAT = "DOES_NOT_BEAT"


class HuRefusal(Reason):
    """Why tiles are no win. An answer carries every member that applies."""

    HOLDS_PUT_DOWN_TILE = "HOLDS_PUT_DOWN_TILE"
    NOT_OPENED = "NOT_OPENED"
    NO_SHAPE = "NO_SHAPE"
    PAIR_NOT_258 = "PAIR_NOT_258"
    TOO_MANY_WILDS = "TOO_MANY_WILDS"
    WILDS_NEED_GOLD = "WILDS_NEED_GOLD"
    NEEDS_SETTLEMENT = "NEEDS_SETTLEMENT"
    SOFT_SMALL_NEEDS_SELF_DRAW = "SOFT_SMALL_NEEDS_SELF_DRAW"
    LONE_WILD_WAIT = "LONE_WILD_WAIT"
    WINNING_TILE_NOT_CLAIMABLE = "WINNING_TILE_NOT_CLAIMABLE"
    SELF_DRAW_ONLY = "SELF_DRAW_ONLY"
    KONG_NOT_ROBBABLE = "KONG_NOT_ROBBABLE"
    WILD_DISCARDED_BAN = "WILD_DISCARDED_BAN"
    MISSED_HU_LOCK = "MISSED_HU_LOCK"


class AuctionRefusal(Reason):
    """Why a call, a rob, a show or a doubling is illegal. Exactly one is given: the first."""

    AUCTION_OVER = "AUCTION_OVER"
    PASSED_CANNOT_ROB = "PASSED_CANNOT_ROB"
    NOT_ACTOR = "NOT_ACTOR"
    BAD_ACTION = "BAD_ACTION"
    BAD_BID = "BAD_BID"
    MUST_BID_MAX = "MUST_BID_MAX"
    NOT_HIGHER = "NOT_HIGHER"
    SHOW_NOT_OFFERED = "SHOW_NOT_OFFERED"
    SHOW_LANDLORD_ONLY = "SHOW_LANDLORD_ONLY"
    DOUBLE_NOT_OFFERED = "DOUBLE_NOT_OFFERED"
    DOUBLE_ALREADY_ANSWERED = "DOUBLE_ALREADY_ANSWERED"
    DOUBLE_BELOW_GATE = "DOUBLE_BELOW_GATE"


class ClaimRefusal(Reason):
    """Why a seat may not discard, chi, peng, kong, put down, rob or win now."""

    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    OWN_DISCARD = "OWN_DISCARD"
    CLAIM_OFF = "CLAIM_OFF"
    NOT_UPPER_SEAT = "NOT_UPPER_SEAT"
    TILES_NOT_HELD = "TILES_NOT_HELD"
    WILD_BARRED = "WILD_BARRED"
    PUT_DOWN_TILE_BARRED = "PUT_DOWN_TILE_BARRED"
    MUST_PUT_DOWN = "MUST_PUT_DOWN"
    WILD_DISCARD_FORBIDDEN = "WILD_DISCARD_FORBIDDEN"
    LAST_TILES = "LAST_TILES"
    KONG_NOT_ROBBABLE = "KONG_NOT_ROBBABLE"
    NOT_HU = "NOT_HU"
    HU_BANNED = "HU_BANNED"
    OUTRANKED = "OUTRANKED"


class LaiziError(ValueError):
    """An input is malformed.

    ``reason`` is for programs, ``message`` for people, ``path`` names the offending field
    (``hand``, ``hands[3].tiles``, ``rules.wild.alone``; empty for the only argument of a call).
    ``position`` is the index of the wrong character or byte inside that field, where there is
    one; ``limit`` the bound that was passed, where there is one.
    """

    def __init__(
        self,
        reason: ErrorReason,
        message: str,
        *,
        path: str = "",
        position: int | None = None,
        limit: int | None = None,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.path = path
        self.position = position
        self.limit = limit

    def under(self, prefix: str) -> Self:
        """Return the same error, its path seen from the outside: ``tiles`` under ``hands[3]``."""
        joint = "." if prefix and self.path and not self.path.startswith("[") else ""
        return type(self)(
            self.reason,
            self.message,
            path=prefix + joint + self.path,
            position=self.position,
            limit=self.limit,
        )

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message

    def __reduce__(self) -> tuple[object, ...]:
        # The default would call the class with the message alone.
        return _rebuild, (
            type(self),
            self.reason,
            self.message,
            self.path,
            self.position,
            self.limit,
        )


def _rebuild(
    cls: type[LaiziError],
    reason: ErrorReason,
    message: str,
    path: str,
    position: int | None,
    limit: int | None,
) -> LaiziError:
    return cls(reason, message, path=path, position=position, limit=limit)


class NotationError(LaiziError):
    """A text or a byte string does not name cards, tiles or a reading."""


class CardsError(LaiziError):
    """The cards or tiles cannot exist together: too many copies, too many, too few."""


class RulesError(LaiziError):
    """A rule set is unknown, or an option of it is unknown, mistyped or contradictory."""


class RequestError(LaiziError):
    """Fields of a request are missing, out of range or contradict each other."""
