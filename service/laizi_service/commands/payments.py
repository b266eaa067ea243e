"""``laizi settle``: who pays whom, in both games."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import click

from laizi.v1 import doudizhu_pb2, mahjong_pb2, types_pb2
from laizi_service.commands import typed
from laizi_service.commands.asking import Asking, WrongTextError, answers, rules_options
from laizi_service.commands.output import Output
from laizi_service.display import fraction

__all__ = ["draw_settlement", "settle", "table_options"]


def table_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a mahjong table; it gets ``table``, or None when none of them is given."""

    @functools.wraps(function)
    def command(
        *arguments: Any,
        dealer: int | None,
        seats: int,
        factors: tuple[str, ...],
        guarantees: tuple[str, ...],
        **named: Any,
    ) -> None:
        table = None
        if dealer is not None or seats or factors or guarantees:
            table = mahjong_pb2.TableFactors()
            typed.table(table, dealer, seats, factors, guarantees)
        function(*arguments, table=table, **named)

    for option in (
        click.option(
            "--guarantor", "guarantees", multiple=True, metavar="SEAT:KIND", help="A seat that may have to pay."
        ),
        click.option(
            "--factors", multiple=True, metavar="SEAT:NAME=N,…", help="A seat's openings, kongs, put_downs, wild_kongs."
        ),
        click.option("--seats", default=0, metavar="N", help="The number of seats, 4 unless given."),
        click.option("--dealer", type=int, metavar="SEAT", help="The dealer's seat."),
    ):
        command = option(command)
    return command


@click.group()
def settle() -> None:
    """Tell who pays whom after a game of Dou Dizhu or a hand of mahjong."""


@settle.command()
@click.option("--landlord", default=0, show_default=True, metavar="SEAT", help="The landlord.")
@click.option("--out", type=int, metavar="SEAT", help="The seat that played its last card.")
@click.option("--plays", metavar="N,N,N", help="How many plays each seat made; decides 春天 and 反春.")
@click.option("--bid", default=0, help="The winning bid, where the rules bid points.")
@click.option("--robs", default=0, help="How often the landlord's role was robbed.")
@click.option("--bomb", "bombs", multiple=True, metavar="TIER[=CARDS][@SEAT]", help="A bomb played, or rocket.")
@click.option("--double", "doubled", multiple=True, type=int, metavar="SEAT", help="A seat that doubled (加倍).")
@click.option("--show", "shown", multiple=True, metavar="SEAT:MOMENT[=CARDS]", help="A hand shown, e.g. before_deal.")
@click.option("--carried", metavar="N,N,N", help="The coins that the seats carried into the game.")
@click.option("--fled", type=int, metavar="SEAT", help="The seat that fled.")
@click.option("--stuck", is_flag=True, help="The landlord was left with wilds that he may not play.")
@click.option("--rate", default=0, help="Coins a point.")
@click.option("--extra", "extras", multiple=True, metavar="NAME=FACTOR", help="A further factor of the room.")
@rules_options("doudizhu")
@answers
def doudizhu(
    asking: Asking,
    landlord: int,
    out: int | None,
    plays: str | None,
    bid: int,
    robs: int,
    bombs: tuple[str, ...],
    doubled: tuple[int, ...],
    shown: tuple[str, ...],
    carried: str | None,
    fled: int | None,
    stuck: bool,
    rate: int,
    extras: tuple[str, ...],
    rules: types_pb2.RuleSetSelector,
) -> None:
    """Settle a finished game of Dou Dizhu.

    \b
    laizi settle doudizhu --landlord 0 --out 0 --robs 1 --bomb soft --bomb rocket --double 2
    laizi settle doudizhu --landlord 1 --out 0 --plays 5,1,3 --bomb hard@0 --show 0:before_deal
    """
    request = doudizhu_pb2.SettleGameRequest(
        rules=rules,
        landlord=landlord,
        seats=[doudizhu_pb2.SeatRecord() for _ in range(3)],
        bid=bid,
        robs=robs,
        bombs=map(_bomb, bombs),
        landlord_stuck=stuck,
        rate=rate,
        extra_factors=map(_extra, extras),
    )
    for field, given in (("plays", plays), ("carried", carried)):
        for seat, amount in enumerate(_three(given)):
            setattr(request.seats[seat], field, amount)
    for field, marked in (("out", (out,)), ("fled", (fled,)), ("doubled", doubled)):
        for marked_seat in marked:
            if marked_seat is not None:
                setattr(_record(request, marked_seat), field, True)
    for text in shown:
        seat, rest = typed.seat_and_rest(text)
        name, equals, digits = rest.partition("=")
        number = typed.enum_value(doudizhu_pb2.ShowMoment, name, text, len(text) - len(rest))
        record = _record(request, seat)
        record.show = doudizhu_pb2.ShowMoment.ValueType(number)
        record.show_cards_dealt = typed.number(digits, text, len(text) - len(digits)) if equals else 0
    asking.show("DoudizhuService.SettleGame", request, _draw_game)


def _record(request: doudizhu_pb2.SettleGameRequest, seat: int) -> doudizhu_pb2.SeatRecord:
    if not 0 <= seat < len(request.seats):
        raise WrongTextError(f"seats are 0 to 2, not {seat}")
    return request.seats[seat]


def _three(text: str | None) -> list[int]:
    if text is None:
        return []
    parts = text.split(",")
    if len(parts) != 3:
        raise WrongTextError("three numbers are wanted, one for each seat, as in 5,1,3", text, 0)
    return [typed.number(part.strip(), text, sum(map(len, parts[:index])) + index) for index, part in enumerate(parts)]


def _bomb(text: str) -> doudizhu_pb2.PlayedBomb:
    said, at, seat = text.partition("@")
    name, equals, count = said.partition("=")
    made = doudizhu_pb2.PlayedBomb(type=doudizhu_pb2.PLAY_TYPE_BOMB)
    if name == "rocket":
        made.type = doudizhu_pb2.PLAY_TYPE_ROCKET
    else:
        made.tier = doudizhu_pb2.BombTier.ValueType(typed.enum_value(doudizhu_pb2.BombTier, name, text))
    if equals:
        made.cards = typed.number(count, text, len(name) + 1)
    if at:
        made.seat = typed.number(seat, text, len(said) + 1)
    return made


def _extra(text: str) -> types_pb2.ExtraFactor:
    name, _, value = text.partition("=")
    return types_pb2.ExtraFactor(name=name, value=typed.fraction(value, text, len(text) - len(value)))


def _draw_game(output: Output, answer: doudizhu_pb2.SettleGameResponse) -> None:
    spring = ", 春天" if answer.spring else ", 反春" if answer.anti_spring else ""
    winner = "the landlord wins" if answer.landlord_won else "the farmers win"
    output.say(f"{winner}{spring}, multiplier {fraction(answer.multiplier)}")
    _draw_seats(output, answer.seats)
    _draw_payments(output, answer.payments)


@settle.command()
@click.option("--winner", "winners", multiple=True, type=int, metavar="SEAT", help="The winner's seat.")
@click.option(
    "--on",
    "mode",
    type=click.Choice(list(typed.enum_names(mahjong_pb2.WinMode))),
    default="zimo",
    show_default=True,
    help="How the winning tile came.",
)
@click.option("--from", "from_seat", type=int, metavar="SEAT", help="Who discarded it or was robbed.")
@click.option("--gang-flower", is_flag=True, help="It replaced a kong or a put-down (杠上花).")
@click.option("--haidi", is_flag=True, help="It is one of the last of the wall (海底捞).")
@click.option("--type", "types", multiple=True, metavar="NAME", help="A hu type that the tiles make, e.g. qingyise.")
@click.option("--hard", is_flag=True, help="No wild stands for another tile (硬胡).")
@table_options
@rules_options("mahjong")
@answers
def mahjong(
    asking: Asking,
    winners: tuple[int, ...],
    mode: str,
    from_seat: int | None,
    gang_flower: bool,
    haidi: bool,
    types: tuple[str, ...],
    hard: bool,
    table: mahjong_pb2.TableFactors | None,
    rules: types_pb2.RuleSetSelector,
) -> None:
    """Settle a hand of mahjong that somebody won.

    \b
    laizi settle mahjong -r honghu --winner 0 --type qingyise --hard --dealer 1
    laizi settle mahjong -r honghu --winner 0 --on discard --from 2 --dealer 0 --factors 0:openings=1,put_downs=2
    """
    request = mahjong_pb2.SettleHandRequest(
        rules=rules,
        winner_seats=winners,
        circumstances=mahjong_pb2.WinCircumstances(
            mode=mahjong_pb2.WinMode.ValueType(typed.enum_value(mahjong_pb2.WinMode, mode, mode)),
            from_seat=from_seat,
            gang_flower=gang_flower,
            haidi=haidi,
        ),
        types=types,
        hard=hard,
        table=table,
    )
    asking.show("MahjongService.SettleHand", request, lambda output, answer: draw_settlement(output, answer.settlement))


def draw_settlement(output: Output, settlement: mahjong_pb2.Settlement) -> None:
    """Print what a win of mahjong pays."""
    if settlement.gold:
        output.say("gold (金顶)")
    if settlement.HasField("guarantor"):
        output.say(f"seat {settlement.guarantor} pays for all (包)")
    _draw_seats(output, settlement.seats)
    _draw_payments(output, settlement.payments)
    if settlement.HasField("next_dealer"):
        output.say(f"next dealer: seat {settlement.next_dealer}")


def _draw_seats(output: Output, seats: Iterable[types_pb2.SeatResult]) -> None:
    output.table(
        (f"seat {item.seat}", f"{'+' if item.delta.numerator > 0 else ''}{fraction(item.delta)}") for item in seats
    )


def _draw_payments(output: Output, payments: Iterable[types_pb2.Payment]) -> None:
    output.table(
        (
            f"seat {item.from_seat} → seat {item.to_seat}",
            fraction(item.amount),
            ", ".join(factor.text_zh for factor in item.factors),
            f"for seat {item.on_behalf_of}" if item.HasField("on_behalf_of") else "",
        )
        for item in payments
    )
