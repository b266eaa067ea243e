"""What can be wrong with an input, and why a play, a win or an action is refused.

Two kinds of "no" are kept apart:

* a malformed input raises a :class:`LaiziError` with one :class:`ErrorReason` and the path of the
  offending field;
* "this is no legal play", "this is no win", "this seat may not do that" are *answers*. They carry
  a set of members of :class:`PlayRefusal`, :class:`HuRefusal`, :class:`AuctionRefusal` or
  :class:`ClaimRefusal`, in the order of precedence in which the members are declared.

Each member is the enum value of the same name in ``proto/laizi/v1/errors.proto`` (there with the prefix that protobuf
asks for); its :attr:`~Reason.number` equals that value's number, so that a column of results can hold it in one byte.
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
    """A name that a program can switch on, its number on the wire, and its meaning for people."""

    number: int
    meaning: str

    def __new__(cls, value: str, meaning: str) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.number = len(cls.__members__) + 1
        member.meaning = meaning
        return member


class ErrorReason(Reason):
    """Why an input is malformed. Exactly one goes with each error."""

    # Notation: the text or the bytes do not name cards or tiles.
    UNKNOWN_RANK = "UNKNOWN_RANK", "a character is no rank of a card"
    UNKNOWN_SUIT = "UNKNOWN_SUIT", "a suit stands without a rank, twice at one card, or where ranks alone are wanted"
    UNKNOWN_CARD_CODE = "UNKNOWN_CARD_CODE", "a byte is the code of no card"
    UNKNOWN_TILE = "UNKNOWN_TILE", "a character begins or ends no tile"
    UNKNOWN_TILE_CODE = "UNKNOWN_TILE_CODE", "a byte is the code of no tile"

    # Cards and tiles that cannot exist together.
    TOO_MANY_COPIES = "TOO_MANY_COPIES", "more copies of a rank or tile than the pack or the set holds"
    DUPLICATE_CARD = "DUPLICATE_CARD", "one and the same card, suit included, is given twice"
    EMPTY_PLAY = "EMPTY_PLAY", "a play holds no cards"
    EMPTY_HAND = "EMPTY_HAND", "a hand holds no cards or tiles where at least one is needed"
    HAND_TOO_LARGE = "HAND_TOO_LARGE", "more cards or tiles than the field allows"
    SUIT_MISSING = (
        "SUIT_MISSING",
        "a suit is needed and not given: single cards of the rank are wild, or byte codes are asked for",
    )
    TILE_OUTSIDE_SET = "TILE_OUTSIDE_SET", "a tile is not in the tile set of the rules"
    WRONG_TILE_COUNT = (
        "WRONG_TILE_COUNT",
        "the number of tiles fits no hand: concealed tiles are 3n+1 or 3n+2, and three belong to each meld",
    )
    MALFORMED_MELD = "MALFORMED_MELD", "the tiles of a meld are no run, triplet or kong of the kind named"
    MELD_NOT_ALLOWED = "MELD_NOT_ALLOWED", "the rules do not know this kind of meld"
    WILD_IN_MELD = "WILD_IN_MELD", "an open meld uses a wild tile, which the rules bar"
    WINNING_TILE_NOT_IN_HAND = "WINNING_TILE_NOT_IN_HAND", "the winning tile is not among the concealed tiles"

    # Wild cards and tiles.
    WILD_NOT_ALLOWED = "WILD_NOT_ALLOWED", "wilds are named although the rules have none"
    WRONG_WILD_COUNT = "WRONG_WILD_COUNT", "the rules have another number of wild ranks, cards or tiles"
    WILD_IS_JOKER = (
        "WILD_IS_JOKER",
        "a joker is named as a wild rank, or a wild as a joker, where the rules do not allow it",
    )
    BAD_INDICATOR = "BAD_INDICATOR", "the indicator or the draw cannot determine a wild under the rules"

    # Rule sets.
    UNKNOWN_RULE_SET = "UNKNOWN_RULE_SET", "no preset or registered rule set has this name"
    WRONG_GAME = "WRONG_GAME", "the rule set belongs to the other game"
    UNKNOWN_OPTION = "UNKNOWN_OPTION", "no option has this name"
    MISSING_OPTION = "MISSING_OPTION", "an option that has no default is not given"
    WRONG_OPTION_TYPE = "WRONG_OPTION_TYPE", "the value of an option has the wrong type"
    BAD_OPTION_VALUE = "BAD_OPTION_VALUE", "the value of an option is out of range or not one of its choices"
    CONTRADICTORY_OPTIONS = "CONTRADICTORY_OPTIONS", "two options cannot hold together"
    MISSING_SOURCE = "MISSING_SOURCE", "an option of a rule file names no clause as its source"
    MALFORMED_RULES = "MALFORMED_RULES", "the text of a rule file cannot be parsed"
    RULE_SET_DIGEST_MISMATCH = (
        "RULE_SET_DIGEST_MISMATCH",
        "the rule set's digest is not the one that the request expects",
    )
    UNKNOWN_CLAUSE = "UNKNOWN_CLAUSE", "no clause of the rulebook has this id"

    # Plays that a request refers to.
    MALFORMED_READING = "MALFORMED_READING", "a text is no reading such as straight:J:5"
    DECLARED_SIZE_MISMATCH = "DECLARED_SIZE_MISMATCH", "the declared cards are not as many as the cards played"
    PREVIOUS_PLAY_ILLEGAL = (
        "PREVIOUS_PLAY_ILLEGAL",
        "the play on the table is itself no legal play, or has not the reading named",
    )

    # Fields that are missing, out of range, or do not go together.
    MISSING_FIELD = "MISSING_FIELD", "a field that the request or its rules need is not set"
    CONTRADICTORY_FIELDS = "CONTRADICTORY_FIELDS", "two fields exclude each other"
    VALUE_OUT_OF_RANGE = "VALUE_OUT_OF_RANGE", "a number is outside its range"
    UNKNOWN_ENUM_VALUE = (
        "UNKNOWN_ENUM_VALUE",
        "an enum field is unspecified where it must be set, or holds a number without a name",
    )
    SEAT_OUT_OF_RANGE = "SEAT_OUT_OF_RANGE", "a seat is not one of the table's"
    DUPLICATE_SEAT = "DUPLICATE_SEAT", "a seat is described twice"
    CONTRADICTORY_CIRCUMSTANCES = (
        "CONTRADICTORY_CIRCUMSTANCES",
        "the circumstances of a win exclude each other, such as robbing a kong on a self-draw",
    )
    CONTRADICTORY_FACTORS = "CONTRADICTORY_FACTORS", "what was played or laid down cannot have happened together"
    TWO_WINNERS = "TWO_WINNERS", "more than one winner is named"
    NO_WINNER = "NO_WINNER", "no winner is named"
    GUARANTOR_WON = "GUARANTOR_WON", "the guarantor is the winner"

    # Batches, columns, streams and the wire itself.
    TOO_MANY_ITEMS = "TOO_MANY_ITEMS", "more items, rows or bytes than the limit"
    BAD_ROW_LENGTH = "BAD_ROW_LENGTH", "the length of a column is no multiple of its row's length"
    COLUMN_LENGTH_MISMATCH = "COLUMN_LENGTH_MISMATCH", "two columns have different numbers of rows"
    COUNT_OUT_OF_RANGE = "COUNT_OUT_OF_RANGE", "a row holds a count that its rank or tile cannot have"
    DUPLICATE_CORRELATION_ID = (
        "DUPLICATE_CORRELATION_ID",
        "a request with this correlation id is still in flight on the stream",
    )
    MALFORMED_MESSAGE = "MALFORMED_MESSAGE", "the bytes of a request are no message of its type"

    # The service itself, not the input.
    NOT_IMPLEMENTED = "NOT_IMPLEMENTED", "this field or method is not built yet"
    OVERLOADED = "OVERLOADED", "the server holds as much work as it may; try another replica"
    SHUTTING_DOWN = "SHUTTING_DOWN", "the server is draining; connect to another replica"
    DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED", "the caller's deadline passed before the answer was complete"
    INTERNAL_FAULT = "INTERNAL_FAULT", "a fault of the server; its id also stands in the server's log"
    UNAUTHENTICATED = "UNAUTHENTICATED", "the server asks for a token, and the call shows none that it knows"


class PlayRefusal(Reason):
    """Why cards are no legal play. An answer carries every member that applies, in this order."""

    NOT_IN_HAND = "NOT_IN_HAND", "the hand does not hold these cards"
    COUNT_FITS_NO_TYPE = "COUNT_FITS_NO_TYPE", "no type has this many cards"
    CARDS_FIT_NO_TYPE = "CARDS_FIT_NO_TYPE", "these cards form no type, whatever the wilds stand for"
    WILD_AS_JOKER = "WILD_AS_JOKER", "a wild would have to stand for a joker"
    RUN_THROUGH_TWO = "RUN_THROUGH_TWO", "a run would have to pass the highest rank of runs"
    RUN_TOO_SHORT = "RUN_TOO_SHORT", "a run is shorter than the rules ask"
    WILDS_ALONE_FORBIDDEN = "WILDS_ALONE_FORBIDDEN", "wilds may not be played alone"
    WILDS_ALONE_KEEP_RANK = "WILDS_ALONE_KEEP_RANK", "wilds played alone keep their own ranks, and those form no type"
    WILDS_ALONE_ONLY_AS_LAST_PLAY = "WILDS_ALONE_ONLY_AS_LAST_PLAY", "wilds may be played alone only as the last play"
    BODY_ALL_WILD_FORBIDDEN = "BODY_ALL_WILD_FORBIDDEN", "the main part may not consist of wilds only"
    BODY_ALL_WILD_KEEPS_RANK = (
        "BODY_ALL_WILD_KEEPS_RANK",
        "a main part of wilds only keeps its own rank, and that forms no type",
    )
    TYPE_NOT_PLAYED = "TYPE_NOT_PLAYED", "the rules do not have this type"
    TRIPLE_ONLY_AS_LAST_PLAY = "TRIPLE_ONLY_AS_LAST_PLAY", "a triple that carries nothing may only be the last play"
    KICKER_KIND_NOT_CARRIED = "KICKER_KIND_NOT_CARRIED", "this type may not carry kickers of this kind"
    KICKER_REPEATS_RANK = "KICKER_REPEATS_RANK", "more equal cards among the kickers than the rules allow"
    KICKER_IS_ROCKET = "KICKER_IS_ROCKET", "both jokers may not be carried together"
    KICKER_EQUAL_PAIRS = "KICKER_EQUAL_PAIRS", "two equal pairs may not be carried"
    KICKER_OF_BODY_RANK = "KICKER_OF_BODY_RANK", "a kicker has a rank of the main part"
    KICKER_EXTENDS_BODY = "KICKER_EXTENDS_BODY", "three equal kickers would lengthen the main part"
    SOFT_FOUR_CARRIES_NOTHING = "SOFT_FOUR_CARRIES_NOTHING", "four equal cards made with a wild may not carry kickers"
    BOMB_TOO_LARGE = "BOMB_TOO_LARGE", "a bomb has more cards than the rules allow"
    BOMB_TIER_NOT_PLAYED = "BOMB_TIER_NOT_PLAYED", "the rules do not have bombs of this tier"
    NON_BOMB_READING_EXISTS = (
        "NON_BOMB_READING_EXISTS",
        "cards that can be read as something else may not lead as a bomb",
    )
    SOFT_BOMB_WHILE_HOLDING_HARD = (
        "SOFT_BOMB_WHILE_HOLDING_HARD",
        "a player who holds a hard bomb may not play a soft one",
    )
    DECLARED_NOT_A_READING = "DECLARED_NOT_A_READING", "the declared reading is none of the readings"
    DOES_NOT_BEAT = "DOES_NOT_BEAT", "no reading beats the play on the table"


class HuRefusal(Reason):
    """Why tiles are no win. An answer carries every member that applies, in this order."""

    HOLDS_PUT_DOWN_TILE = "HOLDS_PUT_DOWN_TILE", "the hand holds a tile that must be put down before a win"
    NOT_OPENED = "NOT_OPENED", "the hand has not opened"
    NO_SHAPE = "NO_SHAPE", "the tiles form no allowed shape"
    PAIR_NOT_258 = "PAIR_NOT_258", "a shape exists, but not with a pair of 2, 5 or 8; goes with NO_SHAPE"
    TOO_MANY_WILDS = "TOO_MANY_WILDS", "the hand has more wilds than a win of its class allows"
    WILDS_NEED_GOLD = "WILDS_NEED_GOLD", "so many wilds win only if the settlement reaches gold, and it does not"
    NEEDS_SETTLEMENT = (
        "NEEDS_SETTLEMENT",
        "so many wilds win only if the settlement reaches gold, and the request does not carry the seats' factors",
    )
    SOFT_SMALL_NEEDS_SELF_DRAW = "SOFT_SMALL_NEEDS_SELF_DRAW", "a small win with a wild needs a self-draw"
    LONE_WILD_WAIT = "LONE_WILD_WAIT", "a single wild may not wait on every tile"
    WINNING_TILE_NOT_CLAIMABLE = (
        "WINNING_TILE_NOT_CLAIMABLE",
        "a wild or put-down tile cannot be taken from another seat",
    )
    SELF_DRAW_ONLY = "SELF_DRAW_ONLY", "only a self-draw wins now: the last tiles"
    KONG_NOT_ROBBABLE = "KONG_NOT_ROBBABLE", "this kong cannot be robbed"
    WILD_DISCARDED_BAN = "WILD_DISCARDED_BAN", "the seat discarded a wild and may not win this hand"
    MISSED_HU_LOCK = "MISSED_HU_LOCK", "the seat passed a win and may not win before it draws again"


class AuctionRefusal(Reason):
    """Why a call, a rob, a show or a doubling is illegal. Exactly one is given: the first that applies."""

    AUCTION_OVER = "AUCTION_OVER", "the auction is over"
    PASSED_CANNOT_ROB = "PASSED_CANNOT_ROB", "a seat that declined to call may not rob"
    NOT_ACTOR = "NOT_ACTOR", "it is another seat's turn"
    BAD_ACTION = "BAD_ACTION", "this phase has no such action"
    BAD_BID = "BAD_BID", "a bid is 1, 2 or 3"
    MUST_BID_MAX = "MUST_BID_MAX", "the holder of both jokers must bid the maximum"
    NOT_HIGHER = "NOT_HIGHER", "a bid must exceed the previous one"
    SHOW_NOT_OFFERED = "SHOW_NOT_OFFERED", "the rules do not let this hand be shown now"
    SHOW_LANDLORD_ONLY = "SHOW_LANDLORD_ONLY", "only the landlord may show after taking the bottom"
    DOUBLE_NOT_OFFERED = "DOUBLE_NOT_OFFERED", "the rules have no doubling"
    DOUBLE_ALREADY_ANSWERED = "DOUBLE_ALREADY_ANSWERED", "the seat already doubled or declined"
    DOUBLE_BELOW_GATE = "DOUBLE_BELOW_GATE", "the beans do not exceed the room's value"


class ClaimRefusal(Reason):
    """Why a seat may not discard, chi, peng, kong, put down, rob or win now."""

    NOT_YOUR_TURN = "NOT_YOUR_TURN", "it is not this seat's turn"
    OWN_DISCARD = "OWN_DISCARD", "a seat cannot take its own discard"
    CLAIM_OFF = "CLAIM_OFF", "the rules do not have this action"
    NOT_UPPER_SEAT = "NOT_UPPER_SEAT", "chi takes the discard of the upper seat only"
    TILES_NOT_HELD = "TILES_NOT_HELD", "the seat does not hold the tiles"
    WILD_BARRED = "WILD_BARRED", "a wild tile cannot be used for or taken by a claim"
    PUT_DOWN_TILE_BARRED = (
        "PUT_DOWN_TILE_BARRED",
        "a tile that can only be put down cannot be used for or taken by a claim",
    )
    MUST_PUT_DOWN = "MUST_PUT_DOWN", "the tile drawn must be put down first"
    PUT_DOWN_TILE_DISCARD_FORBIDDEN = (
        "PUT_DOWN_TILE_DISCARD_FORBIDDEN",
        "a tile that can only be put down may not be discarded",
    )
    WILD_DISCARD_FORBIDDEN = "WILD_DISCARD_FORBIDDEN", "a wild may not be discarded"
    LAST_TILES = "LAST_TILES", "the last tiles are drawn without discards, claims and kongs"
    KONG_NOT_ROBBABLE = "KONG_NOT_ROBBABLE", "this kong cannot be robbed"
    NOT_HU = "NOT_HU", "the tiles are no win; the hu refusals say why"
    OUTRANKED = "OUTRANKED", "another seat's claim goes first"


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
