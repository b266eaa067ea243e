"""The questions that every example program asks, the same in each language."""

import struct

from laizi.v1 import doudizhu_pb2, mahjong_pb2, types_pb2

HUANLE = types_pb2.RuleSetSelector(preset="huanle")
WUHAN = types_pb2.RuleSetSelector(preset="wuhan")
HONGHU = types_pb2.RuleSetSelector(preset="honghu")
HONGZHONG = types_pb2.RuleSetSelector(preset="hongzhong")
SEVENS = types_pb2.Wilds(ranks="7")
NINE_OF_CIRCLES = types_pb2.WildTiles(wilds=types_pb2.Tiles(text="9p"))

BOMB_OR_TRIPLE = types_pb2.Cards(text="3d 3h 3s 7h")
PAIR_OF_NINES = doudizhu_pb2.Play(cards=types_pb2.Cards(text="9c 9s"))
FIVE_THREES = types_pb2.Cards(text="33333")

READ = doudizhu_pb2.ReadPlayRequest(
    rules=HUANLE, wilds=SEVENS, cards=BOMB_OR_TRIPLE, hand=types_pb2.Cards(text="3d 3h 3s 7h 8c Kd")
)
READ_REFUSED = doudizhu_pb2.ReadPlayRequest(rules=WUHAN, wilds=SEVENS, cards=types_pb2.Cards(text="7d 7h"))
COMPARE = doudizhu_pb2.ComparePlaysRequest(
    rules=HUANLE, wilds=SEVENS, challenger=doudizhu_pb2.Play(cards=BOMB_OR_TRIPLE), previous=PAIR_OF_NINES
)
LIST = doudizhu_pb2.ListPlaysRequest(
    rules=HUANLE,
    wilds=SEVENS,
    hand=types_pb2.Cards(text="4d 5c 8d 9h 9d Td Qs Qd 2c 7c X Y"),
    previous=PAIR_OF_NINES,
    limit=3,
)
SETTLE_GAME = doudizhu_pb2.SettleGameRequest(
    rules=HUANLE,
    landlord=1,
    seats=[
        doudizhu_pb2.SeatRecord(plays=3),
        doudizhu_pb2.SeatRecord(plays=8, out=True, doubled=True),
        doudizhu_pb2.SeatRecord(plays=2),
    ],
    robs=1,
    bombs=[
        doudizhu_pb2.PlayedBomb(type=doudizhu_pb2.PLAY_TYPE_BOMB, tier=doudizhu_pb2.BOMB_TIER_SOFT, cards=4, seat=1)
    ],
)

HU = mahjong_pb2.CheckHuRequest(
    rules=HONGHU,
    wilds=NINE_OF_CIRCLES,
    # One byte a tile, as game servers keep them: 111222m 99m 5m and the wild 9p twice.
    concealed=types_pb2.Tiles(codes=bytes([1, 1, 1, 2, 2, 2, 9, 9, 5, 0x29, 0x29])),
    melds=[
        mahjong_pb2.Meld(kind=mahjong_pb2.MELD_KIND_PENG, tiles=types_pb2.Tiles(codes=bytes([8, 8, 8])), from_seat=3)
    ],
    winning_tile=types_pb2.Tiles(codes=bytes([5])),
    circumstances=mahjong_pb2.WinCircumstances(mode=mahjong_pb2.WIN_MODE_DISCARD, from_seat=2),
)
HU_REFUSED = mahjong_pb2.CheckHuRequest(
    rules=HONGHU, wilds=NINE_OF_CIRCLES, concealed=types_pb2.Tiles(text="123m456p789s 55m z5z5z5")
)
SETTLE_HAND = mahjong_pb2.SettleHandRequest(
    rules=HONGHU,
    winner_seats=[0],
    circumstances=mahjong_pb2.WinCircumstances(mode=mahjong_pb2.WIN_MODE_DISCARD, from_seat=2),
    types=["pengpenghu", "qingyise"],
    table=mahjong_pb2.TableFactors(dealer=1, seats=[mahjong_pb2.SeatFactors(seat=0, openings=1)]),
)

BATCH = doudizhu_pb2.BatchReadPlaysRequest(
    rules=HUANLE,
    items=[
        doudizhu_pb2.ReadPlayRequest(wilds=SEVENS, cards=BOMB_OR_TRIPLE),
        doudizhu_pb2.ReadPlayRequest(wilds=SEVENS, cards=FIVE_THREES),
        doudizhu_pb2.ReadPlayRequest(wilds=SEVENS, cards=types_pb2.Cards(text="4567 9")),
    ],
)

RANKS = "3456789TJQKA2XY"


def card_row(naturals: str, wilds: str) -> bytes:
    """A row of cards: two numbers of 64 bits, little-endian, with four bits a rank."""
    return struct.pack("<QQ", *(sum(1 << 4 * RANKS.index(rank) for rank in cards) for cards in (naturals, wilds)))


def tile_row(counts: str) -> bytes:
    """A row of tiles: 34 counts, written as digits in the order 万 筒 条 honours."""
    return bytes(map(int, counts.replace(" ", "")))


CARD_ROWS = (("333", "7"), ("45689", "7"), ("33333", ""), ("XY", ""), ("39", ""))
TILE_ROWS = (
    "111111111 320000000 000000000 0000000",
    "222000000 000000000 222000000 0000011",
    "111111111 500000000 000000000 0000000",
    "110000000 303000000 000111000 0000300",
    "111111111 310010000 000000000 0000000",
)

CARD_COLUMNS = doudizhu_pb2.ReadPlayColumnsRequest(
    rules=HUANLE, wilds=SEVENS, plays=b"".join(card_row(*row) for row in CARD_ROWS)
)
TILE_COLUMNS = mahjong_pb2.CheckHuColumnsRequest(
    rules=HONGZHONG, hands=mahjong_pb2.HandColumns(concealed=b"".join(map(tile_row, TILE_ROWS)))
)

# Requests that get no answer, each with its deadline in seconds: malformed, under other rules than
# expected, and past its deadline already (a move that waited too long in a queue).
FAILING = (
    (doudizhu_pb2.ReadPlayRequest(rules=HUANLE, wilds=SEVENS, cards=FIVE_THREES), 5.0),
    (
        doudizhu_pb2.ReadPlayRequest(
            rules=types_pb2.RuleSetSelector(preset="huanle", expect_digest="0123456789abcdef"),
            wilds=SEVENS,
            cards=BOMB_OR_TRIPLE,
        ),
        5.0,
    ),
    (READ, -1.0),
)
