package main

// The questions that every example program asks, the same in each language.

import (
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"laizi.example/client/gen/laizi/v1"
)

func preset(name string) *laiziv1.RuleSetSelector {
	return &laiziv1.RuleSetSelector{Base: &laiziv1.RuleSetSelector_Preset{Preset: name}}
}

func cards(text string) *laiziv1.Cards {
	return &laiziv1.Cards{Form: &laiziv1.Cards_Text{Text: text}}
}

func tiles(text string) *laiziv1.Tiles {
	return &laiziv1.Tiles{Form: &laiziv1.Tiles_Text{Text: text}}
}

// tileCodes names tiles by one byte each, as game servers keep them.
func tileCodes(codes ...byte) *laiziv1.Tiles {
	return &laiziv1.Tiles{Form: &laiziv1.Tiles_Codes{Codes: codes}}
}

var (
	huanle    = preset("huanle")
	wuhan     = preset("wuhan")
	honghu    = preset("honghu")
	hongzhong = preset("hongzhong")

	sevens        = &laiziv1.Wilds{Ranks: "7"}
	nineOfCircles = &laiziv1.WildTiles{Wilds: tiles("9p")}

	bombOrTriple = cards("3d 3h 3s 7h")
	pairOfNines  = &laiziv1.Play{Cards: cards("9c 9s")}
	fiveThrees   = cards("33333")
)

var (
	read = &laiziv1.ReadPlayRequest{
		Rules: huanle, Wilds: sevens, Cards: bombOrTriple, Hand: cards("3d 3h 3s 7h 8c Kd"),
	}
	readRefused = &laiziv1.ReadPlayRequest{Rules: wuhan, Wilds: sevens, Cards: cards("7d 7h")}
	compare     = &laiziv1.ComparePlaysRequest{
		Rules: huanle, Wilds: sevens, Challenger: &laiziv1.Play{Cards: bombOrTriple}, Previous: pairOfNines,
	}
	list = &laiziv1.ListPlaysRequest{
		Rules: huanle, Wilds: sevens, Hand: cards("4d 5c 8d 9h 9d Td Qs Qd 2c 7c X Y"), Previous: pairOfNines, Limit: 3,
	}
	settleGame = &laiziv1.SettleGameRequest{
		Rules:    huanle,
		Landlord: 1,
		Seats: []*laiziv1.SeatRecord{
			{Plays: proto.Int32(3)},
			{Plays: proto.Int32(8), Out: true, Doubled: true},
			{Plays: proto.Int32(2)},
		},
		Robs: 1,
		Bombs: []*laiziv1.PlayedBomb{{
			Type:  laiziv1.PlayType_PLAY_TYPE_BOMB,
			Tier:  laiziv1.BombTier_BOMB_TIER_SOFT,
			Cards: 4,
			Seat:  proto.Int32(1),
		}},
	}

	hu = &laiziv1.CheckHuRequest{
		Rules: honghu,
		Wilds: nineOfCircles,
		// 111222m 99m 5m and the wild 9p twice.
		Concealed: tileCodes(1, 1, 1, 2, 2, 2, 9, 9, 5, 0x29, 0x29),
		Melds: []*laiziv1.Meld{
			{Kind: laiziv1.MeldKind_MELD_KIND_PENG, Tiles: tileCodes(8, 8, 8), FromSeat: proto.Int32(3)},
		},
		WinningTile:   tileCodes(5),
		Circumstances: fromDiscard,
	}
	huRefused = &laiziv1.CheckHuRequest{
		Rules: honghu, Wilds: nineOfCircles, Concealed: tiles("123m456p789s 55m z5z5z5"),
	}
	settleHand = &laiziv1.SettleHandRequest{
		Rules:         honghu,
		WinnerSeats:   []int32{0},
		Circumstances: fromDiscard,
		Types:         []string{"pengpenghu", "qingyise"},
		Table: &laiziv1.TableFactors{
			Dealer: proto.Int32(1),
			Seats:  []*laiziv1.SeatFactors{{Seat: 0, Openings: 1}},
		},
	}
	fromDiscard = &laiziv1.WinCircumstances{Mode: laiziv1.WinMode_WIN_MODE_DISCARD, FromSeat: proto.Int32(2)}

	batch = &laiziv1.BatchReadPlaysRequest{
		Rules: huanle,
		Items: []*laiziv1.ReadPlayRequest{
			{Wilds: sevens, Cards: bombOrTriple},
			{Wilds: sevens, Cards: fiveThrees},
			{Wilds: sevens, Cards: cards("4567 9")},
		},
	}
)

const ranks = "3456789TJQKA2XY"

// cardRow is a row of cards: two numbers of 64 bits, little-endian, with four bits a rank.
func cardRow(naturals, wilds string) []byte {
	row := make([]byte, 0, 16)
	for _, cards := range []string{naturals, wilds} {
		var counts uint64
		for _, rank := range cards {
			counts += 1 << (4 * strings.IndexRune(ranks, rank))
		}
		row = binary.LittleEndian.AppendUint64(row, counts)
	}
	return row
}

// tileRow is a row of tiles: 34 counts, written as digits in the order 万 筒 条 honours.
func tileRow(counts string) []byte {
	row := []byte(strings.ReplaceAll(counts, " ", ""))
	for i := range row {
		row[i] -= '0'
	}
	return row
}

var (
	cardColumns = &laiziv1.ReadPlayColumnsRequest{
		Rules: huanle,
		Wilds: sevens,
		Plays: slices.Concat(
			cardRow("333", "7"), cardRow("45689", "7"), cardRow("33333", ""), cardRow("XY", ""), cardRow("39", ""),
		),
	}
	tileColumns = &laiziv1.CheckHuColumnsRequest{
		Rules: hongzhong,
		Hands: &laiziv1.HandColumns{Concealed: slices.Concat(
			tileRow("111111111 320000000 000000000 0000000"),
			tileRow("222000000 000000000 222000000 0000011"),
			tileRow("111111111 500000000 000000000 0000000"),
			tileRow("110000000 303000000 000111000 0000300"),
			tileRow("111111111 310010000 000000000 0000000"),
		)},
	}
)

// failing requests get no answer: malformed, under other rules than expected, too late.
var failing = []struct {
	request *laiziv1.ReadPlayRequest
	timeout time.Duration
}{
	{&laiziv1.ReadPlayRequest{Rules: huanle, Wilds: sevens, Cards: fiveThrees}, 5 * time.Second},
	{
		&laiziv1.ReadPlayRequest{
			Rules: &laiziv1.RuleSetSelector{
				Base:         &laiziv1.RuleSetSelector_Preset{Preset: "huanle"},
				ExpectDigest: "0123456789abcdef",
			},
			Wilds: sevens,
			Cards: bombOrTriple,
		},
		5 * time.Second,
	},
	{read, -time.Second},
}
