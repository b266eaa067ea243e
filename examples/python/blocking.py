"""Ask a laizi service about both games, with the blocking client: python blocking.py ADDRESS[,ADDRESS...]"""

import sys

import grpc

import printing
import questions
from laizi_service.client import Client, failure


def main(addresses: str) -> None:
    # Round robin over the addresses, keepalive, deadlines and retries: the defaults of the client.
    with Client(addresses) as client:
        print("ReadPlay")
        printing.read_play(client.doudizhu.ReadPlay(questions.READ))
        printing.read_play(client.doudizhu.ReadPlay(questions.READ_REFUSED))
        print("ComparePlays")
        printing.compare_plays(client.doudizhu.ComparePlays(questions.COMPARE))
        print("ListPlays")
        printing.list_plays(client.doudizhu.ListPlays(questions.LIST))
        print("SettleGame")
        printing.settle_game(client.doudizhu.SettleGame(questions.SETTLE_GAME))
        print("CheckHu")
        printing.check_hu(client.mahjong.CheckHu(questions.HU))
        printing.check_hu(client.mahjong.CheckHu(questions.HU_REFUSED))
        print("SettleHand")
        printing.settle_hand(client.mahjong.SettleHand(questions.SETTLE_HAND))
        print("BatchReadPlays")
        printing.batch(client.doudizhu.BatchReadPlays(questions.BATCH))
        print("ReadPlayColumns")
        printing.card_columns(client.doudizhu.ReadPlayColumns(questions.CARD_COLUMNS))
        print("CheckHuColumns")
        printing.tile_columns(client.mahjong.CheckHuColumns(questions.TILE_COLUMNS))

        # Errors are for the caller to handle. These three are never sent again: only UNAVAILABLE and CANCELLED are.
        print("Errors")
        for request, timeout in questions.FAILING:
            try:
                client.doudizhu.ReadPlay(request, timeout=timeout)
            except grpc.RpcError as error:
                printing.failed(failure(error))


if __name__ == "__main__":
    main(sys.argv[1])
