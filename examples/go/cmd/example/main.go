// Command example asks a laizi service about both games: example ADDRESS[,ADDRESS...] SERVICE_CONFIG
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"laizi.example/client/gen/laizi/v1"
	"laizi.example/client/laizi"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: example ADDRESS[,ADDRESS...] SERVICE_CONFIG")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "example:", err)
		os.Exit(1)
	}
}

func run(addresses, serviceConfigFile string) error {
	serviceConfig, err := os.ReadFile(serviceConfigFile)
	if err != nil {
		return err
	}
	connection, err := laizi.Dial(addresses, string(serviceConfig))
	if err != nil {
		return err
	}
	defer connection.Close()
	doudizhu := laiziv1.NewDoudizhuServiceClient(connection)
	mahjong := laiziv1.NewMahjongServiceClient(connection)

	// Each call has the deadline of its method from the service config; this one bounds all of them together.
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	fmt.Println("ReadPlay")
	for _, request := range []*laiziv1.ReadPlayRequest{read, readRefused} {
		answer, err := doudizhu.ReadPlay(ctx, request)
		if err != nil {
			return err
		}
		printReadPlay(answer)
	}

	fmt.Println("ComparePlays")
	compared, err := doudizhu.ComparePlays(ctx, compare)
	if err != nil {
		return err
	}
	printComparePlays(compared)

	fmt.Println("ListPlays")
	hints, err := doudizhu.ListPlays(ctx, list)
	if err != nil {
		return err
	}
	printListPlays(hints)

	fmt.Println("SettleGame")
	game, err := doudizhu.SettleGame(ctx, settleGame)
	if err != nil {
		return err
	}
	printSettleGame(game)

	fmt.Println("CheckHu")
	for _, request := range []*laiziv1.CheckHuRequest{hu, huRefused} {
		answer, err := mahjong.CheckHu(ctx, request)
		if err != nil {
			return err
		}
		printCheckHu(answer)
	}

	fmt.Println("SettleHand")
	hand, err := mahjong.SettleHand(ctx, settleHand)
	if err != nil {
		return err
	}
	printSettleHand(hand)

	fmt.Println("BatchReadPlays")
	results, err := doudizhu.BatchReadPlays(ctx, batch)
	if err != nil {
		return err
	}
	printBatch(results)

	fmt.Println("ReadPlayColumns")
	plays, err := doudizhu.ReadPlayColumns(ctx, cardColumns)
	if err != nil {
		return err
	}
	printCardColumns(plays)

	fmt.Println("CheckHuColumns")
	hands, err := mahjong.CheckHuColumns(ctx, tileColumns)
	if err != nil {
		return err
	}
	printTileColumns(hands)

	// Errors are for the caller to handle. These three are never sent again: only UNAVAILABLE is.
	fmt.Println("Errors")
	for _, call := range failing {
		ctx, cancel := context.WithTimeout(ctx, call.timeout)
		if _, err := doudizhu.ReadPlay(ctx, call.request); err != nil {
			printFailure(laizi.FailureOf(err))
		}
		cancel()
	}
	return nil
}
