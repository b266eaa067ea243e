"""``laizi hu``, ``waits``, ``shanten`` and ``claims``: questions about mahjong."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import click

from laizi.v1 import mahjong_pb2 as pb
from laizi.v1 import rules_pb2, types_pb2
from laizi_service.commands import typed
from laizi_service.commands.asking import Asking, WrongTextError, answers, rules_options
from laizi_service.commands.output import Output
from laizi_service.commands.payments import draw_settlement, table_options
from laizi_service.display import draw_group, draw_tiles, fraction

__all__ = ["claims", "hu", "shanten", "waits"]

_SHAPES: Final = {
    pb.HU_SHAPE_STANDARD: "四面子一将",
    pb.HU_SHAPE_SEVEN_PAIRS: "七对",
    pb.HU_SHAPE_DRAGON_SEVEN: "龙七对",
    pb.HU_SHAPE_FREE_WIND: "乱风",
    pb.HU_SHAPE_FREE_JIANG: "乱将",
}
_CLAIMS: Final = {
    pb.CLAIM_KIND_PASS: "过",
    pb.CLAIM_KIND_CHI: "吃",
    pb.CLAIM_KIND_PENG: "碰",
    pb.CLAIM_KIND_ZHI_GANG: "直杠",
    pb.CLAIM_KIND_BU_GANG: "补杠",
    pb.CLAIM_KIND_AN_GANG: "暗杠",
    pb.CLAIM_KIND_PUT_DOWN: "亮牌",
    pb.CLAIM_KIND_WILD_KONG: "癞子杠",
    pb.CLAIM_KIND_HU: "胡",
    pb.CLAIM_KIND_DISCARD: "出牌",
}
_MODES: Final = {"zimo": pb.WIN_MODE_ZIMO, "discard": pb.WIN_MODE_DISCARD, "rob_kong": pb.WIN_MODE_ROB_KONG}


def _wilds_options(function: Callable[..., None]) -> Callable[..., None]:
    turned = click.option(
        "--turned", metavar="TILE", help="The tile that was turned over; the rules say what it makes wild."
    )
    return click.option("-w", "--wild", metavar="TILES", help="What is wild, where the rules do not fix it.")(
        turned(function)
    )


def _state_option(function: Callable[..., None]) -> Callable[..., None]:
    return click.option(
        "--state",
        metavar="NAME[=N],…",
        help="What the seat did: put_downs=N, wild_kongs=N, wild_discarded, missed_hu.",
    )(function)


def _wilds(
    asking: Asking, rules: types_pb2.RuleSetSelector, wild: str | None, turned: str | None
) -> types_pb2.WildTiles:
    if turned is None:
        return typed.wild_tiles(wild) if wild else types_pb2.WildTiles()
    if wild is not None:
        raise click.UsageError("give either --wild or --turned")
    draw = rules_pb2.MahjongDraw(indicator=types_pb2.Tiles(text=turned))
    answer: rules_pb2.DetermineWildResponse = asking.ask(
        "RulesService.DetermineWild", rules_pb2.DetermineWildRequest(rules=rules, mahjong=draw)
    )
    asking.output.say(answer.explanation)
    return answer.mahjong


@click.command()
@click.argument("tiles", metavar="TILES")
@click.option("--win", metavar="TILE", help="The winning tile, one of TILES; without it, the best for the winner.")
@click.option("--on", "mode", type=click.Choice(list(_MODES)), default="zimo", show_default=True, help="How it came.")
@click.option("--from", "from_seat", type=int, metavar="SEAT", help="Who discarded it or was robbed.")
@click.option("--gang-flower", is_flag=True, help="It replaced a kong or a put-down (杠上花).")
@click.option("--haidi", is_flag=True, help="It is one of the last of the wall (海底捞).")
@click.option("--seat", default=0, show_default=True, help="The winner's seat.")
@click.option("--all", "limit", default=0, metavar="N", help="List up to N decompositions.")
@_state_option
@table_options
@_wilds_options
@rules_options("mahjong")
@answers
def hu(
    asking: Asking,
    tiles: str,
    win: str | None,
    mode: str,
    from_seat: int | None,
    gang_flower: bool,
    haidi: bool,
    seat: int,
    limit: int,
    state: str | None,
    table: pb.TableFactors | None,
    wild: str | None,
    turned: str | None,
    rules: types_pb2.RuleSetSelector,
) -> None:
    """Tell whether TILES are a win, as what, and what it is worth.

    TILES include the winning tile. Melds follow behind bars: 8m8m8m, 123m, an_gang:2p2p2p2p; @3 says
    from which seat. With --dealer the payments are shown, too.

    \b
    laizi hu "123456789m 111p 2p 中"
    laizi hu "111222m 99m 5m 9p 9p | 8m8m8m@3" -r honghu --turned 8p --win 5m --on discard --from 2 --dealer 1
    laizi hu "1122335577m 99p 中中" --all 5
    laizi hu "123m456p789s 55m z5z5z5" -r honghu --json
    """
    concealed, melds = typed.hand(tiles)
    request = pb.CheckHuRequest(
        rules=rules,
        wilds=_wilds(asking, rules, wild, turned),
        concealed=concealed,
        melds=melds,
        circumstances=pb.WinCircumstances(mode=_MODES[mode], from_seat=from_seat, gang_flower=gang_flower, haidi=haidi),
        seat=seat,
        table=table,
        decomposition_limit=limit,
    )
    if win is not None:
        request.winning_tile.text = win
    _fill_state(request, state)
    asking.show("MahjongService.CheckHu", request, _draw_hu)


def _fill_state(request: Any, state: str | None) -> None:
    if state is not None:
        request.state.SetInParent()
        typed.fill(request.state, state)


def _draw_hu(output: Output, answer: pb.CheckHuResponse) -> None:
    value = answer.value
    output.say(_worth(value) if value.hu else "no win")
    output.table((f"no: {refusal.text}", " ".join(refusal.clauses)) for refusal in value.refusals)
    output.table((kind.name_zh, kind.name, _base(kind), " ".join(kind.clauses)) for kind in value.types)
    listed = answer.decompositions or ([answer.best] if answer.HasField("best") else [])
    output.table(
        (
            _SHAPES[item.shape],
            "  ".join(map(draw_group, item.groups)),
            "硬" if item.hard else "软",
            f"{fraction(item.points)} points",
            " ".join(kind.name_zh for kind in item.types),
        )
        for item in listed
    )
    if len(answer.decompositions) < answer.decomposition_total:
        output.say(f"the first {len(answer.decompositions)} of {answer.decomposition_total} decompositions")
    if answer.HasField("settlement"):
        draw_settlement(output, answer.settlement)


def _worth(value: pb.HuValue) -> str:
    return f"win: {'big' if value.big else 'small'}, {'hard 硬' if value.hard else 'soft 软'}, {_points(value.points)}"


def _points(points: types_pb2.Fraction) -> str:
    return f"{fraction(points)} {'point' if fraction(points) == '1' else 'points'}"


def _base(kind: pb.HuType) -> str:
    return f"×{fraction(kind.value)}" if kind.is_factor else _points(kind.value)


@click.command()
@click.argument("tiles", metavar="TILES")
@click.option("--visible", metavar="TILES", default="", help="Tiles that the seat sees besides its own.")
@click.option("--on", "mode", type=click.Choice(["zimo", "discard"]), help="Only wins of this kind.")
@_state_option
@_wilds_options
@rules_options("mahjong")
@answers
def waits(
    asking: Asking,
    tiles: str,
    visible: str,
    mode: str | None,
    state: str | None,
    wild: str | None,
    turned: str | None,
    rules: types_pb2.RuleSetSelector,
) -> None:
    """List what TILES wait for; with a tile more, what they would wait for after each discard.

    \b
    laizi waits "123456m 55p 67s 9p 99s" -r guangdong_gui -w 9p --on zimo
    laizi waits "123456m 22p 67s | 8m8m8m" --visible "5s 5s 1m"
    laizi waits "123456m 22p 678s | 8m8m8m"
    """
    concealed, melds = typed.hand(tiles)
    request = pb.ListWaitsRequest(
        rules=rules,
        wilds=_wilds(asking, rules, wild, turned),
        concealed=concealed,
        melds=melds,
        visible=types_pb2.Tiles(text=visible),
        mode=_MODES[mode] if mode else pb.WIN_MODE_UNSPECIFIED,
    )
    _fill_state(request, state)
    asking.show("MahjongService.ListWaits", request, _draw_waits)


def _draw_waits(output: Output, answer: pb.ListWaitsResponse) -> None:
    if answer.HasField("waits"):
        everything = ", every tile (见字胡)" if answer.waits.everything else ""
        output.say(f"waits for {len(answer.waits.waits)} tiles, {answer.waits.copies_left} left{everything}")
        output.table(
            (
                draw_tiles(wait.tile),
                f"{wait.copies_left} left",
                _wait_value("自摸", wait, "zimo"),
                _wait_value("点炮", wait, "discard"),
            )
            for wait in answer.waits.waits
        )
    else:
        output.say(f"{len(answer.discards)} discards leave a waiting hand")
        output.table(
            (
                f"discard {draw_tiles(item.discard)}",
                f"{item.waits.copies_left} left",
                "  ".join(f"{draw_tiles(wait.tile)}×{wait.copies_left}" for wait in item.waits.waits),
            )
            for item in answer.discards
        )
    if answer.clauses:
        output.say(f"decided by {' '.join(answer.clauses)}")


def _wait_value(title: str, wait: pb.Wait, field: str) -> str:
    if not wait.HasField(field):  # type: ignore[arg-type]  # its type lists the names one by one
        return ""
    value: pb.HuValue = getattr(wait, field)
    if not value.hu:
        return f"{title} no: {value.refusals[0].text}"
    names = " ".join(kind.name_zh for kind in value.types) or "屁胡"
    return f"{title} {names} {_points(value.points)}"


@click.command()
@click.argument("tiles", metavar="TILES")
@click.option("--visible", metavar="TILES", default="", help="Tiles that the seat sees besides its own.")
@_wilds_options
@rules_options("mahjong")
@answers
def shanten(
    asking: Asking,
    tiles: str,
    visible: str,
    wild: str | None,
    turned: str | None,
    rules: types_pb2.RuleSetSelector,
) -> None:
    """Tell how many exchanges TILES are away from waiting, and what brings them nearer.

    \b
    laizi shanten "123m 4567p 1133s 中 9m"
    laizi shanten "1112345678999m | 5p5p5p" --visible "2m2m"
    """
    concealed, melds = typed.hand(tiles)
    request = pb.ShantenRequest(
        rules=rules,
        wilds=_wilds(asking, rules, wild, turned),
        concealed=concealed,
        melds=melds,
        visible=types_pb2.Tiles(text=visible),
    )
    asking.show("MahjongService.Shanten", request, _draw_shanten)


def _draw_shanten(output: Output, answer: pb.ShantenResponse) -> None:
    output.say(_distance(answer.shanten) if answer.HasField("shanten") else "never wins: no shape can be reached")
    output.table((_SHAPES[item.shape], str(item.shanten)) for item in answer.shapes)
    if answer.improving:
        output.say(f"nearer with {_improving(answer.improving)}: {answer.copies_left} left")
    output.table(
        (
            f"discard {draw_tiles(item.discard)}",
            f"{item.copies_left} left",
            _improving(item.improving),
        )
        for item in answer.discards
    )


def _distance(number: int) -> str:
    return {-1: "complete (−1)", 0: "waits (听牌)"}.get(number, f"{number} from waiting (向听)")


def _improving(found: Iterable[pb.ImprovingTile]) -> str:
    return "  ".join(f"{draw_tiles(item.tile)}×{item.copies_left}" for item in found)


@click.command()
@click.argument("trigger", type=click.Choice(list(typed.enum_names(pb.ClaimTrigger))))
@click.argument("tile", required=False, default="")
@click.option("--by", "trigger_seat", default=0, show_default=True, metavar="SEAT", help="The seat that acted.")
@click.option(
    "--hand", "hands", multiple=True, required=True, metavar="SEAT:TILES", help="A seat with its tiles and melds."
)
@click.option("--state", "states", multiple=True, metavar="SEAT:NAME[=N],…", help="What a seat did, as in laizi hu.")
@click.option("--wall", "wall_left", type=int, metavar="N", help="Tiles that can still be drawn.")
@click.option("--after-kong", is_flag=True, help="The tile replaced a kong or a put-down.")
@click.option("--may", "questions", multiple=True, metavar="SEAT:KIND[:TILE[:WITH]]", help="Judge one action.")
@table_options
@_wilds_options
@rules_options("mahjong")
@answers
def claims(
    asking: Asking,
    trigger: str,
    tile: str,
    trigger_seat: int,
    hands: tuple[str, ...],
    states: tuple[str, ...],
    wall_left: int | None,
    after_kong: bool,
    questions: tuple[str, ...],
    table: pb.TableFactors | None,
    wild: str | None,
    turned: str | None,
    rules: types_pb2.RuleSetSelector,
) -> None:
    """List what each seat may do after a discard, a draw, a claim or an added kong.

    Hands are written as in laizi hu, behind the seat.

    \b
    laizi claims discard 5m --by 1 --hand "2:5m5m 123p 456p 789s 1s1s" --hand "3:46m 123p 456p 789s 1s1s"
    laizi claims draw 4p --by 0 --hand "0:123456789m 1p 4p | 2p2p2p@1 | 4p4p4p@1"
    laizi claims discard 5m --hand "2:5m5m 123p 456p 789s 1s1s" --may 2:peng:5m:5m5m --may 2:chi:5m:4m6m
    """
    request = pb.ListClaimsRequest(
        rules=rules,
        wilds=_wilds(asking, rules, wild, turned),
        trigger=pb.ClaimTrigger.ValueType(typed.enum_value(pb.ClaimTrigger, trigger, trigger)),
        trigger_seat=trigger_seat,
        wall_left=wall_left,
        after_kong=after_kong,
        table=table,
    )
    if tile:
        request.tile.text = tile
    if table is not None:
        request.seat_count = table.seat_count
        if table.HasField("dealer"):
            request.dealer = table.dealer
    seats: dict[int, pb.ClaimSeat] = {}
    for text in hands:
        seat, rest = typed.seat_and_rest(text)
        concealed, melds = typed.hand(rest)
        seats[seat] = request.seats.add(seat=seat, concealed=concealed, melds=melds)
    for text in states:
        seat, rest = typed.seat_and_rest(text)
        if seat not in seats:
            raise WrongTextError("this seat has no --hand", text, 0)
        typed.fill(seats[seat].state, rest)
    request.questions.extend(map(_question, questions))
    asking.show("MahjongService.ListClaims", request, lambda output, answer: _draw_claims(output, answer, questions))


def _question(text: str) -> pb.ClaimQuestion:
    seat, rest = typed.seat_and_rest(text)
    kind, _, named = rest.partition(":")
    tile, _, joining = named.partition(":")
    number = typed.enum_value(pb.ClaimKind, kind, text, len(text) - len(rest))
    made = pb.ClaimQuestion(seat=seat, kind=pb.ClaimKind.ValueType(number))
    if tile:
        made.tile.text = tile
    if joining:
        getattr(made, "with").text = joining
    return made


def _draw_claims(output: Output, answer: pb.ListClaimsResponse, questions: tuple[str, ...]) -> None:
    if not answer.seats:
        output.say("nobody may do anything")
    output.table((f"seat {seat.seat}", *row) for seat in answer.seats for row in _claims(seat.claims))
    output.table(
        (text, "yes" if verdict.allowed else "no", *_refusals(verdict))
        for text, verdict in zip(questions, answer.verdicts, strict=True)
    )


def _refusals(verdict: pb.ClaimVerdict) -> tuple[str, str]:
    details: list[Any] = [*verdict.refusals, *verdict.hu_refusals]
    return "; ".join(item.text for item in details), " ".join(clause for item in details for clause in item.clauses)


def _claims(found: Iterable[pb.Claim]) -> Iterator[tuple[str, str, str, str]]:
    """A row for each claim, those alike but for the tile in one: a hand may discard most of its tiles."""
    for (kind, notes, cited), alike in itertools.groupby(map(_claim, found), key=lambda row: (row[0], *row[2:])):
        yield kind, "  ".join(row[1] for row in alike), notes, cited


def _claim(claim: pb.Claim) -> tuple[str, str, str, str]:
    joining: types_pb2.Tiles = getattr(claim, "with")
    notes = [
        f"priority {claim.priority}" if claim.priority else "",
        f"×{fraction(claim.factor)}" if claim.HasField("factor") else "",
        "draws a replacement" if claim.replacement_draw else "",
        "forced" if claim.forced else "",
        "bars a win" if claim.bans_hu else "",
        _worth(claim.hu) if claim.HasField("hu") else "",
    ]
    tiles = draw_tiles(claim.tile) + (f" with {draw_tiles(joining)}" if joining.text else "")
    return _CLAIMS[claim.kind], tiles, ", ".join(filter(None, notes)), " ".join(claim.clauses)
