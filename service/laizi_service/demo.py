"""``make demo``: a service in a process of its own, real requests of both games, and what it answers, for people."""

from __future__ import annotations

import sys
import urllib.request
from collections.abc import Iterable, Sequence
from typing import Final

import grpc

from laizi.v1 import doudizhu_pb2, doudizhu_pb2_grpc, mahjong_pb2, rules_pb2, types_pb2
from laizi_service.client import Client, failure
from laizi_service.display import columns, draw_cards, draw_group, draw_reading, draw_tiles, fraction, pad, width
from laizi_service.launch import Launched, LaunchError

__all__ = ["main"]

_LINE: Final = 100


class DemoError(RuntimeError):
    """The service answered something else than this demonstration is about."""


def main() -> int:
    """Show it. Returns the exit code: 1 when the service fails or answers otherwise than it should."""
    try:
        with Launched() as service, Client(service.target) as client:
            _say(
                f"laizi 癞子. The service runs in a process of its own on {service.target}; every line below comes from"
            )
            _say("its answers. Letters and digits behind a line, such as D6-40, name the clause of the rulebook.")
            _doudizhu(client.doudizhu)
            _mahjong(client)
            _mistakes(client)
            _metrics(service.metrics_url)
    except grpc.RpcError as error:
        print(f"the demo failed: {failure(error)}", file=sys.stderr)
        return 1
    except (DemoError, LaunchError, OSError) as error:
        print(f"the demo failed: {error}", file=sys.stderr)
        return 1
    return 0


def _doudizhu(service: doudizhu_pb2_grpc.DoudizhuServiceStub) -> None:
    huanle, sevens = types_pb2.RuleSetSelector(preset="huanle"), types_pb2.Wilds(ranks="7")
    _title("斗地主 Dou Dizhu: rule set huanle 欢乐癞子场, the sevens are wild")

    play = types_pb2.Cards(text="3d 3h 3s 7h")
    _ask(f"What is {draw_cards(play)}?", "ReadPlay")
    read = service.ReadPlay(doudizhu_pb2.ReadPlayRequest(rules=huanle, wilds=sevens, cards=play))
    _must(read.legal and len(read.readings) == 2, "333 and a wild are two plays")
    _show((*draw_reading(reading), " ".join(reading.clauses[:2])) for reading in read.readings)
    _say(f"  It counts as {read.taken} unless the player declares the other.")

    table = types_pb2.Cards(text="9c 9s")
    _ask(f"Does it beat {draw_cards(table)}?", "ComparePlays")
    compared = service.ComparePlays(
        doudizhu_pb2.ComparePlaysRequest(
            rules=huanle,
            wilds=sevens,
            challenger=doudizhu_pb2.Play(cards=play),
            previous=doudizhu_pb2.Play(cards=table),
        )
    )
    _must(compared.beats, "a bomb beats a pair")
    _show((item.reading.code, item.text, " ".join(item.clauses)) for item in compared.comparisons)

    hand = types_pb2.Cards(text="4d 5c 8d 9h 9d Td Qs Qd 2c 7c X Y")
    _ask(f"What can {draw_cards(hand)} play on it?", "ListPlays")
    against = doudizhu_pb2.Play(cards=table)
    listed = service.ListPlays(
        doudizhu_pb2.ListPlaysRequest(rules=huanle, wilds=sevens, hand=hand, previous=against, limit=3)
    )
    _must(listed.total > len(listed.plays) > 0, "there is something to play")
    _show(draw_reading(play.reading) for play in listed.plays)
    _say(f"  The first {len(listed.plays)} of {listed.total} hints: what breaks least comes first, the rocket last.")

    wuhan = types_pb2.RuleSetSelector(preset="wuhan")
    pair = types_pb2.Cards(text="7d 7h")
    _ask(f"May two wilds {draw_cards(pair)} be played alone under wuhan 武汉赖子?", "ReadPlay")
    read = service.ReadPlay(doudizhu_pb2.ReadPlayRequest(rules=wuhan, wilds=sevens, cards=pair))
    _must(not read.legal, "wilds cannot be played alone in Wuhan")
    _show((f"no: {refusal.text}", " ".join(refusal.clauses)) for refusal in read.refusals)


def _mahjong(client: Client) -> None:
    honghu = types_pb2.RuleSetSelector(preset="honghu")
    _title("麻将 Mahjong: rule set honghu 洪湖红中癞子杠")

    turned = types_pb2.Tiles(text="8p")
    _ask(f"{draw_tiles(turned)} is turned. What is wild?", "DetermineWild")
    wild = client.rules.DetermineWild(
        rules_pb2.DetermineWildRequest(rules=honghu, mahjong=rules_pb2.MahjongDraw(indicator=turned))
    )
    _must(wild.mahjong.wilds.text == "9p", "the next tile is wild")
    _show([(draw_tiles(wild.mahjong.wilds), wild.explanation, " ".join(wild.clauses))])

    concealed = types_pb2.Tiles(text="111222m 99m 5m 9p 9p")
    peng = mahjong_pb2.Meld(kind=mahjong_pb2.MELD_KIND_PENG, tiles=types_pb2.Tiles(text="8m8m8m"), from_seat=3)
    request = mahjong_pb2.CheckHuRequest(
        rules=honghu,
        wilds=wild.mahjong,
        concealed=concealed,
        melds=[peng],
        winning_tile=types_pb2.Tiles(text="5m"),
        circumstances=mahjong_pb2.WinCircumstances(mode=mahjong_pb2.WIN_MODE_DISCARD, from_seat=2),
        table=mahjong_pb2.TableFactors(dealer=1),
    )
    _ask(f"{draw_tiles(concealed)} | {draw_tiles(peng.tiles)}: is it a win?", "CheckHu")
    answer = client.mahjong.CheckHu(request)
    _must(answer.value.hu, "one suit, all triplets")
    _show([("groups", "  ".join(map(draw_group, answer.best.groups)))])
    _show((kind.name_zh, f"{fraction(kind.value)} points", " ".join(kind.clauses)) for kind in answer.value.types)
    hardness = "硬 hard" if answer.value.hard else "软 soft"
    _say(f"  {hardness}, {fraction(answer.value.points)} points; a tile in brackets is what a wild stands for.")
    _say("  Who pays, and why:")
    _show(
        (
            f"seat {payment.from_seat}",
            fraction(payment.amount),
            ", ".join(factor.text_zh for factor in payment.factors),
        )
        for payment in answer.settlement.payments
    )

    red = types_pb2.Tiles(text="123m456p789s 55m z5z5z5")
    _ask(f"{draw_tiles(red)}: is it a win?", "CheckHu")
    answer = client.mahjong.CheckHu(mahjong_pb2.CheckHuRequest(rules=honghu, wilds=wild.mahjong, concealed=red))
    _must(not answer.value.hu, "a hand with red dragons is no win")
    _show((f"no: {refusal.text}", " ".join(refusal.clauses)) for refusal in answer.value.refusals)

    gui = types_pb2.RuleSetSelector(preset="guangdong_gui")
    waiting = types_pb2.Tiles(text="123456m 55p 67s 9p 99s")
    _ask(f"{draw_tiles(waiting)}: what does it wait for under guangdong_gui 广东鬼牌?", "ListWaits")
    waits = client.mahjong.ListWaits(
        mahjong_pb2.ListWaitsRequest(rules=gui, wilds=wild.mahjong, concealed=waiting, mode=mahjong_pb2.WIN_MODE_ZIMO)
    ).waits
    _must(bool(waits.waits), "a wild makes it wait")
    _show(
        (draw_tiles(wait.tile), f"{wait.copies_left} left", f"{fraction(wait.zimo.points)} points")
        for wait in waits.waits
    )


def _mistakes(client: Client) -> None:
    _title("A mistake is told with its reason, its field and its place")
    text = "33333"
    request = doudizhu_pb2.ReadPlayRequest(
        rules=types_pb2.RuleSetSelector(preset="huanle"), cards=types_pb2.Cards(text=text)
    )
    try:
        client.doudizhu.ReadPlay(request)
    except grpc.RpcError as error:
        failed = failure(error)
    else:
        raise DemoError("five cards of a rank were taken for a play")
    position = int(dict(failed.metadata)["position"])
    _say("")
    _say(f"  {text}")
    _say(f"  {' ' * position}^ {failed.code.name}, {failed.reason}: {failed.message}")


def _metrics(url: str) -> None:
    _title(f"What Prometheus sees: {url}")
    with urllib.request.urlopen(url, timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    wanted = ("grpc_server_handled_total", "laizi_hands_total", "laizi_errors_total")
    found = [line for line in lines if line.startswith(wanted) and not line.endswith(" 0.0")]
    _must(bool(found), "the calls were counted")
    _say("")
    for line in found:
        _say(f"  {line}")


def _title(text: str) -> None:
    _say("")
    _say(f"── {text} " + "─" * (_LINE - width(text) - 4))


def _ask(question: str, method: str) -> None:
    _say("")
    _say(f"{pad(question, _LINE - width(method) - 1)} {method}")


def _show(rows: Iterable[Sequence[str]]) -> None:
    _say(columns(rows))


def _say(text: str) -> None:
    print(text)


def _must(holds: bool, what: str) -> None:
    if not holds:
        raise DemoError(f"the service does not know that {what}")


if __name__ == "__main__":
    sys.exit(main())
