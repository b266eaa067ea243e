"""Requests that are often nearly right: seeds that are answered, and changes to them."""

import random
from collections.abc import Sequence
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from laizi import cards, rules, tiles
from laizi.v1 import doudizhu_pb2, mahjong_pb2, rules_pb2, types_pb2
from tests.service.requests import card, selector, tile

WORDS = ("", "x", "-1", "癞子", "rocket", "bomb:3:4:soft", "pair:7:1", "straight:J:5", "D6-45", "huanle", "0" * 16)
VALUES: tuple[Any, ...] = ("none", "off", "on", True, 0, 2, 1.5, [], ["single"], {})
OPTIONS = [option.name for name in ("huanle", "enshi") for option in rules.options(rules.load(name).game)]
NUMBERS = (0, 1, 2, 3, 4, 13, 17, 20, 255, -1, 2**31 - 1, -(2**31))


class Fuzzer:
    """Fills messages with what is often nearly right."""

    def __init__(self, rng: random.Random, game: str) -> None:
        self.rng = rng
        self.presets = [name for name in rules.presets() if game in (rules.load(name).game, "rules")]

    def fill(self, message: Message, depth: int = 0) -> Any:
        if isinstance(message, types_pb2.Cards | types_pb2.Tiles):
            return self.form(message)
        if isinstance(message, types_pb2.RuleSetSelector):
            return self.select(message)
        if isinstance(message, types_pb2.Wilds) and self.rng.random() < 0.8:
            message.ranks = self.rng.choice(cards.RANKS[:13])
            return message
        if isinstance(message, types_pb2.WildTiles) and self.rng.random() < 0.8:
            message.wilds.text, message.indicators.text = self.rng.sample(tiles.NAMES, 2)
            return message
        for field in message.DESCRIPTOR.fields:
            if field.name == "rules" or self.rng.random() < (0.7 if depth < 2 else 0.5):
                self.set(message, field, depth)
        return message

    def mutate(self, message: Message) -> None:
        """Change one field somewhere in a message."""
        inner = [value for field, value in message.ListFields() if field.message_type is not None]
        found = [one for value in inner for one in (value if isinstance(value, Sequence) else [value])]
        known = [one for one in found if one.DESCRIPTOR.full_name.startswith("laizi.")]
        if known and self.rng.random() < 0.7:
            self.mutate(self.rng.choice(known))
        elif isinstance(message, types_pb2.Cards | types_pb2.Tiles):
            self.form(message)
        elif message.DESCRIPTOR.fields:
            field: Any = self.rng.choice(message.DESCRIPTOR.fields)
            if self.rng.random() < 0.3:
                message.ClearField(field.name)
            else:
                self.set(message, field, 1)

    def set(self, message: Message, field: Any, depth: int) -> None:
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            return
        if field.is_repeated:
            many = getattr(message, field.name)
            for _ in range(self.rng.randrange(4)):
                if field.message_type is not None:
                    self.fill(many.add(), depth + 1)
                else:
                    many.append(self.scalar(field))
        elif field.message_type is not None:
            if field.message_type.full_name.startswith("laizi."):
                self.fill(getattr(message, field.name), depth + 1)
                getattr(message, field.name).SetInParent()
        else:
            setattr(message, field.name, self.scalar(field))

    def scalar(self, field: Any) -> Any:
        kind = field.cpp_type
        if field.type == FieldDescriptor.TYPE_BYTES:
            return self.rng.randbytes(self.rng.randrange(40))
        if kind == FieldDescriptor.CPPTYPE_STRING:
            return self.rng.choice(WORDS)
        if kind == FieldDescriptor.CPPTYPE_BOOL:
            return self.rng.random() < 0.5
        if kind == FieldDescriptor.CPPTYPE_ENUM:
            return self.rng.choice((*field.enum_type.values_by_number, 99))
        unsigned = kind in (FieldDescriptor.CPPTYPE_UINT32, FieldDescriptor.CPPTYPE_UINT64)
        number = self.rng.choice(NUMBERS)
        return abs(number) if unsigned else number

    def form(self, message: Any) -> Any:
        if isinstance(message, types_pb2.Cards):
            codes = bytes(self.rng.sample(sorted(cards.CODES), self.rng.randrange(1, 12)))
            text = cards.read(codes).text()
        else:
            wall = [code for code in tiles.CODES for _ in range(4)]
            codes = bytes(self.rng.sample(wall, self.rng.choice((1, 1, 2, 3, 3, 4, 5, 8, 11, 13, 14))))
            text = tiles.read(codes).text()
        if self.rng.random() < 0.1:
            codes, text = codes + b"\x00", text + self.rng.choice(WORDS)
        if self.rng.random() < 0.5:
            message.codes = codes
        else:
            message.text = text
        return message

    def select(self, message: types_pb2.RuleSetSelector) -> types_pb2.RuleSetSelector:
        names = self.presets if self.rng.random() < 0.95 else rules.presets()
        message.CopyFrom(selector(self.rng.choice(names)))
        if self.rng.random() < 0.3:
            message.overrides.update({self.rng.choice(OPTIONS): self.rng.choice(VALUES)})
        return message


RULES = selector("honghu")
NINE = types_pb2.WildTiles(wilds=tile("9p"))
SEEDS: dict[str, Message] = {
    "ReadPlay": doudizhu_pb2.ReadPlayRequest(
        rules=selector("huanle"),
        wilds=types_pb2.Wilds(ranks="7"),
        cards=card("3337"),
        hand=card("33378KX"),
        previous=doudizhu_pb2.Play(cards=card("99"), reading="pair:9:1"),
        declared_reading="bomb:3:4:soft",
    ),
    "ComparePlays": doudizhu_pb2.ComparePlaysRequest(
        rules=selector("huanle"),
        wilds=types_pb2.Wilds(ranks="7"),
        challenger=doudizhu_pb2.Play(cards=card("3337")),
        previous=doudizhu_pb2.Play(cards=card("99")),
    ),
    "ListPlays": doudizhu_pb2.ListPlaysRequest(
        rules=selector("tiandi"),
        wilds=types_pb2.Wilds(ranks="79"),
        hand=card("3d 3c 4d 5d 6c 7d 8h 9h 9c Td X"),
        previous=doudizhu_pb2.Play(reading="pair:3:1"),
        limit=20,
    ),
    "CanBeat": doudizhu_pb2.CanBeatRequest(
        rules=selector("wuhan"), hand=card("77"), previous=doudizhu_pb2.Play(reading="single:3:1")
    ),
    "ResolveAuction": doudizhu_pb2.ResolveAuctionRequest(
        rules=selector("huanle"),
        events=[doudizhu_pb2.AuctionEvent(action=doudizhu_pb2.AUCTION_ACTION_CALL)],
        beans=[5, 5, 5],
        room_value=3,
    ),
    "SettleGame": doudizhu_pb2.SettleGameRequest(
        rules=selector("points_rob"),
        bid=3,
        seats=[doudizhu_pb2.SeatRecord(out=True, plays=2), *[doudizhu_pb2.SeatRecord(plays=0)] * 2],
        bombs=[doudizhu_pb2.PlayedBomb(type=doudizhu_pb2.PLAY_TYPE_BOMB, tier=doudizhu_pb2.BOMB_TIER_SOFT)],
        extra_factors=[types_pb2.ExtraFactor(name="x", value=types_pb2.Fraction(numerator=2))],
    ),
    "CheckHu": mahjong_pb2.CheckHuRequest(
        rules=RULES,
        wilds=NINE,
        concealed=tile("111222m 99m 5m 9p 9p"),
        winning_tile=tile("5m"),
        melds=[mahjong_pb2.Meld(kind=mahjong_pb2.MELD_KIND_PENG, tiles=tile("888m"), from_seat=1)],
        circumstances=mahjong_pb2.WinCircumstances(mode=mahjong_pb2.WIN_MODE_DISCARD, from_seat=2),
        state=mahjong_pb2.SeatState(put_downs=1),
        table=mahjong_pb2.TableFactors(dealer=1, seats=[mahjong_pb2.SeatFactors(seat=2, openings=1)]),
        decomposition_limit=3,
    ),
    "ListWaits": mahjong_pb2.ListWaitsRequest(
        rules=selector("guangdong_gui"), wilds=NINE, concealed=tile("123m456p789s 55m66s"), visible=tile("5m")
    ),
    "Shanten": mahjong_pb2.ShantenRequest(
        rules=selector("guangdong_gui"), wilds=NINE, concealed=tile("123m456p789s 55m668s"), visible=tile("5m")
    ),
    "ListClaims": mahjong_pb2.ListClaimsRequest(
        rules=RULES,
        wilds=NINE,
        trigger=mahjong_pb2.CLAIM_TRIGGER_DISCARD,
        tile=tile("3p"),
        dealer=0,
        seats=[mahjong_pb2.ClaimSeat(seat=1, concealed=tile("45p 123m 789m 22s 67s z1"))],
        questions=[mahjong_pb2.ClaimQuestion(seat=1, kind=mahjong_pb2.CLAIM_KIND_CHI, **{"with": tile("45p")})],
    ),
    "SettleHand": mahjong_pb2.SettleHandRequest(
        rules=RULES,
        winner_seats=[2],
        circumstances=mahjong_pb2.WinCircumstances(mode=mahjong_pb2.WIN_MODE_DISCARD, from_seat=3),
        types=["qingyise"],
        table=mahjong_pb2.TableFactors(dealer=1, seats=[mahjong_pb2.SeatFactors(seat=2, openings=2)]),
    ),
    "DetermineWild": rules_pb2.DetermineWildRequest(rules=RULES, mahjong=rules_pb2.MahjongDraw(indicator=tile("8p"))),
}
"""Requests that are answered."""

METHODS = [
    (service, method.name, method.input_type._concrete_class)
    for file, service in ((doudizhu_pb2, "doudizhu"), (mahjong_pb2, "mahjong"), (rules_pb2, "rules"))
    for method in next(iter(file.DESCRIPTOR.services_by_name.values())).methods
    if not method.client_streaming
]
