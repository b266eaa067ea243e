"""``laizi read``, ``compare``, ``plays`` and ``auction``: questions about Dou Dizhu."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import click

from laizi.v1 import doudizhu_pb2 as pb
from laizi.v1 import rules_pb2, types_pb2
from laizi_service.codec import wilds_of
from laizi_service.commands import typed
from laizi_service.commands.asking import Asking, WrongTextError, answers, rules_options
from laizi_service.commands.output import Output
from laizi_service.display import draw_reading, fraction

__all__ = ["auction", "compare", "plays", "read"]

_AGAINST_HELP: Final = "The play on the table: cards, a reading, or CARDS=READING."


def _wilds_options(function: Callable[..., None]) -> Callable[..., None]:
    turned = click.option(
        "--turned", metavar="CARD", help="The card that was turned over; the rules say what it makes wild."
    )
    return click.option("-w", "--wild", metavar="RANKS|CARDS", help='What is wild: "7", "79", or cards "7h 7d".')(
        turned(function)
    )


def _wilds(asking: Asking, rules: types_pb2.RuleSetSelector, wild: str | None, turned: str | None) -> types_pb2.Wilds:
    if turned is None:
        return wilds_of(wild) if wild else types_pb2.Wilds()
    if wild is not None:
        raise click.UsageError("give either --wild or --turned")
    draw = rules_pb2.DoudizhuDraw(bottom=types_pb2.Cards(text=turned))
    answer: rules_pb2.DetermineWildResponse = asking.ask(
        "RulesService.DetermineWild", rules_pb2.DetermineWildRequest(rules=rules, doudizhu=draw)
    )
    asking.output.say(answer.explanation)
    return answer.doudizhu


@click.command()
@click.argument("cards")
@click.option("--hand", help="The hand before the play, these cards included.")
@click.option("--against", metavar="PLAY", help=_AGAINST_HELP)
@click.option(
    "--as", "declared", metavar="READING|CARDS", help='What it is declared as: "triple_1:3:1", or cards it stands for.'
)
@click.option("--last/--not-last", default=None, help="Whether the play empties the hand.")
@_wilds_options
@rules_options("doudizhu")
@answers
def read(
    asking: Asking,
    cards: str,
    hand: str | None,
    against: str | None,
    declared: str | None,
    last: bool | None,
    wild: str | None,
    turned: str | None,
    rules: types_pb2.RuleSetSelector,
) -> None:
    """Tell whether CARDS are a legal play, and every way to read them.

    \b
    laizi read 3337 -w 7
    laizi read "♦3 ♥3 ♠3 ♥7" -w 7 --as triple_1:3:1
    laizi read 3337 -w 7 --against 99 --hand 3337JQK2
    laizi read 77 -w 7 -r wuhan
    laizi read 34567 -w 7 -o seq.single=6 --json
    """
    request = pb.ReadPlayRequest(
        rules=rules, wilds=_wilds(asking, rules, wild, turned), cards=types_pb2.Cards(text=cards), last_play=last
    )
    if hand is not None:
        request.hand.text = hand
    if against is not None:
        request.previous.CopyFrom(typed.play(against))
    if declared is not None and typed.is_reading(declared):
        request.declared_reading = declared
    elif declared is not None:
        request.declared_cards.text = declared
    asking.show("DoudizhuService.ReadPlay", request, _draw_read)


def _draw_read(output: Output, answer: pb.ReadPlayResponse) -> None:
    output.say(f"legal, counts as {answer.taken}" if answer.legal else "not legal")
    output.table((f"no: {refusal.text}", " ".join(refusal.clauses)) for refusal in answer.refusals)
    output.table((*draw_reading(reading), " ".join(reading.clauses)) for reading in answer.readings)


@click.command()
@click.argument("challenger", metavar="PLAY")
@click.argument("previous", metavar="TABLE")
@_wilds_options
@rules_options("doudizhu")
@answers
def compare(
    asking: Asking,
    challenger: str,
    previous: str,
    wild: str | None,
    turned: str | None,
    rules: types_pb2.RuleSetSelector,
) -> None:
    """Tell whether PLAY beats the play on the TABLE, and why.

    Both are cards, or CARDS=READING; the one on the table may be a reading alone.

    \b
    laizi compare 3337 99 -w 7
    laizi compare 4444 3337=bomb:3:4:soft -w 7
    laizi compare XY bomb:2:4:hard
    """
    request = pb.ComparePlaysRequest(
        rules=rules,
        wilds=_wilds(asking, rules, wild, turned),
        challenger=typed.play(challenger),
        previous=typed.play(previous),
    )
    asking.show("DoudizhuService.ComparePlays", request, _draw_compare)


def _draw_compare(output: Output, answer: pb.ComparePlaysResponse) -> None:
    output.say(f"{'beats' if answer.beats else 'does not beat'} {answer.previous.code}")
    output.table((f"no: {refusal.text}", " ".join(refusal.clauses)) for refusal in answer.refusals)
    output.table(
        (
            "yes" if compared.reading.beats_previous else "no",
            *draw_reading(compared.reading),
            compared.text,
            " ".join(compared.clauses),
        )
        for compared in answer.comparisons
    )


@click.command()
@click.argument("hand")
@click.option("--against", metavar="PLAY", help=_AGAINST_HELP)
@click.option("--limit", default=20, show_default=True, help="The most plays to list; 0: as many as the service lists.")
@click.option("--expanded", is_flag=True, help="Every choice of kickers and wilds, instead of one play a reading.")
@_wilds_options
@rules_options("doudizhu")
@answers
def plays(
    asking: Asking,
    hand: str,
    against: str | None,
    limit: int,
    expanded: bool,
    wild: str | None,
    turned: str | None,
    rules: types_pb2.RuleSetSelector,
) -> None:
    """List the legal plays of a HAND, in the order of hints: the first is what auto-play plays.

    \b
    laizi plays 3334578JJ2XY -w 7 --limit 5
    laizi plays "4d 5c 8d 9h 9d Td Qs Qd 2c 7c X Y" -w 7 --against 99
    laizi plays 33344 --expanded --json
    """
    request = pb.ListPlaysRequest(
        rules=rules,
        wilds=_wilds(asking, rules, wild, turned),
        hand=types_pb2.Cards(text=hand),
        grouping=pb.PLAY_GROUPING_EXPANDED if expanded else pb.PLAY_GROUPING_GROUPED,
        limit=limit,
    )
    if against is not None:
        request.previous.CopyFrom(typed.play(against))
    asking.show("DoudizhuService.ListPlays", request, _draw_plays)


def _draw_plays(output: Output, answer: pb.ListPlaysResponse) -> None:
    listed = len(answer.plays)
    output.say(f"{answer.total} legal plays" + (f", the first {listed}:" if listed < answer.total else ""))
    output.table(draw_reading(play.reading) for play in answer.plays)
    if answer.may_pass:
        output.say("may pass")
    if answer.clauses:
        output.say(f"left out by {' '.join(answer.clauses)}")


_ACTIONS: Final = {
    pb.AUCTION_ACTION_BID: "叫分",
    pb.AUCTION_ACTION_CALL: "叫地主",
    pb.AUCTION_ACTION_PASS: "不叫",
    pb.AUCTION_ACTION_ROB: "抢地主",
    pb.AUCTION_ACTION_DECLINE_ROB: "不抢",
    pb.AUCTION_ACTION_SHOW_BEFORE_DEAL: "明牌",
    pb.AUCTION_ACTION_SHOW_DURING_DEAL: "明牌",
    pb.AUCTION_ACTION_SHOW_AFTER_BOTTOM: "明牌",
    pb.AUCTION_ACTION_DOUBLE: "加倍",
    pb.AUCTION_ACTION_DECLINE_DOUBLE: "不加倍",
}
_TYPED: Final = {number: name for name, number in typed.enum_names(pb.AuctionAction).items()}


@click.command()
@click.argument("events", nargs=-1, metavar="[SEAT:ACTION[=NUMBER]]...")
@click.option("--first-seat", default=0, show_default=True, help="The seat that speaks first.")
@click.option("--rocket-seat", type=int, help="The seat that holds both jokers, where that binds it.")
@click.option("--beans", metavar="N,N,N", help="The coins of the seats, where doubling needs them.")
@click.option("--room-value", default=0, help="What the coins must exceed to double.")
@click.option("--landlord", type=int, help="The landlord, where the rules leave the auction out.")
@click.option("--base", default=0, help="The base score, where the rules leave the auction out.")
@rules_options("doudizhu")
@answers
def auction(
    asking: Asking,
    events: tuple[str, ...],
    first_seat: int,
    rocket_seat: int | None,
    beans: str | None,
    room_value: int,
    landlord: int | None,
    base: int,
    rules: types_pb2.RuleSetSelector,
) -> None:
    """Replay an auction: who acts next and how he may, or who is landlord at which multiplier.

    EVENTS are bid=POINTS, call, pass, rob, decline_rob, show_before_deal, show_during_deal=CARDS,
    show_after_bottom, double, decline_double and timeout, each behind the seat that acts.

    \b
    laizi auction
    laizi auction 0:call 1:rob 2:decline_rob 0:rob --beans 900,900,200 --room-value 500
    laizi auction 1:bid=1 2:pass 0:bid=3 --first-seat 1 -r points_rob
    """
    request = pb.ResolveAuctionRequest(
        rules=rules,
        first_seat=first_seat,
        events=map(_event, events),
        rocket_seat=rocket_seat,
        room_value=room_value,
        external_landlord=landlord,
        external_base=base,
    )
    if beans is not None:
        request.beans.extend(typed.number(part.strip(), beans, beans.find(part)) for part in beans.split(","))
    asking.show("DoudizhuService.ResolveAuction", request, _draw_auction)


def _event(text: str) -> pb.AuctionEvent:
    seat, rest = typed.seat_and_rest(text)
    name, equals, digits = rest.partition("=")
    place = len(text) - len(rest)
    action = pb.AuctionAction.ValueType(typed.enum_value(pb.AuctionAction, name, text, place))
    made = pb.AuctionEvent(seat=seat, action=action)
    if not equals:
        return made
    if action not in (pb.AUCTION_ACTION_BID, pb.AUCTION_ACTION_SHOW_DURING_DEAL):
        raise WrongTextError(f"{name} takes no number", text, place)
    amount = typed.number(digits, text, len(text) - len(digits))
    if action == pb.AUCTION_ACTION_BID:
        made.points = amount
    else:
        made.cards_dealt = amount
    return made


def _draw_auction(output: Output, answer: pb.ResolveAuctionResponse) -> None:
    said = {
        pb.AUCTION_STATUS_OPEN: "the auction goes on",
        pb.AUCTION_STATUS_DONE: "the auction is over",
        pb.AUCTION_STATUS_REDEAL: "nobody called: deal anew",
        pb.AUCTION_STATUS_ILLEGAL: f"illegal: event {answer.illegal_event.index + 1}: {answer.illegal_event.text}",
    }
    clauses = answer.illegal_event.clauses or answer.clauses
    output.say(f"{said[answer.status]}  {' '.join(clauses)}".rstrip())
    if answer.HasField("landlord"):
        output.say(f"landlord: seat {answer.landlord}{', who had to take it' if answer.forced else ''}")
    elif answer.HasField("provisional_landlord"):
        output.say(f"landlord for now: seat {answer.provisional_landlord}")
    if answer.status != pb.AUCTION_STATUS_REDEAL:
        output.say(f"base {answer.base}, multiplier {fraction(answer.multiplier)}")
    output.table((factor.text, factor.text_zh, " ".join(factor.clauses)) for factor in answer.factors[1:])
    output.table(
        (
            f"seat {actor.seat} {'must' if actor.must_act else 'may'}",
            _TYPED[option.action] + (f" {'/'.join(map(str, option.points))}" if option.points else ""),
            _ACTIONS[option.action],
            f"×{fraction(option.factor)}" if option.HasField("factor") else "",
            " ".join(option.clauses),
        )
        for actor in answer.actors
        for option in actor.options
    )
