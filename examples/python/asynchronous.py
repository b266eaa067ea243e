"""Ask a laizi service about both games, with asyncio: python asynchronous.py ADDRESS[,ADDRESS...]"""

import asyncio
import sys

import grpc

import printing
import questions
from laizi_service.client import AsyncClient, failure


async def main(addresses: str) -> None:
    # Round robin over the addresses, keepalive, deadlines and retries: the defaults of the client.
    async with AsyncClient(addresses) as client:
        # A call is under way as soon as it is made, so all of these are at once.
        read = client.doudizhu.ReadPlay(questions.READ)
        wilds_alone = client.doudizhu.ReadPlay(questions.READ_REFUSED)
        compared = client.doudizhu.ComparePlays(questions.COMPARE)
        hints = client.doudizhu.ListPlays(questions.LIST)
        game = client.doudizhu.SettleGame(questions.SETTLE_GAME)
        win = client.mahjong.CheckHu(questions.HU)
        no_win = client.mahjong.CheckHu(questions.HU_REFUSED)
        hand = client.mahjong.SettleHand(questions.SETTLE_HAND)
        batch = client.doudizhu.BatchReadPlays(questions.BATCH)
        cards = client.doudizhu.ReadPlayColumns(questions.CARD_COLUMNS)
        tiles = client.mahjong.CheckHuColumns(questions.TILE_COLUMNS)

        print("ReadPlay")
        printing.read_play(await read)
        printing.read_play(await wilds_alone)
        print("ComparePlays")
        printing.compare_plays(await compared)
        print("ListPlays")
        printing.list_plays(await hints)
        print("SettleGame")
        printing.settle_game(await game)
        print("CheckHu")
        printing.check_hu(await win)
        printing.check_hu(await no_win)
        print("SettleHand")
        printing.settle_hand(await hand)
        print("BatchReadPlays")
        printing.batch(await batch)
        print("ReadPlayColumns")
        printing.card_columns(await cards)
        print("CheckHuColumns")
        printing.tile_columns(await tiles)

        # Errors are for the caller to handle. These three are never sent again: only UNAVAILABLE and CANCELLED are.
        print("Errors")
        for request, timeout in questions.FAILING:
            try:
                await client.doudizhu.ReadPlay(request, timeout=timeout)
            except grpc.RpcError as error:
                printing.failed(failure(error))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
