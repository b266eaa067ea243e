package main

// What the answers look like on paper: every line of the example programs, the same in each language.

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"laizi.example/client/gen/laizi/v1"
	"laizi.example/client/laizi"
)

// name is the name of an enum value without the prefix that all values of its enum share.
func name(value fmt.Stringer, prefix string) string {
	return strings.TrimPrefix(value.String(), prefix)
}

// words is a list on one line; nothing is a dash.
func words(items []string) string {
	return cmp.Or(strings.Join(items, ","), "-")
}

func truth(value bool) string {
	if value {
		return "yes"
	}
	return "no"
}

func fraction(value *laiziv1.Fraction) string {
	if value.GetDenominator() == 1 {
		return fmt.Sprint(value.GetNumerator())
	}
	return fmt.Sprintf("%d/%d", value.GetNumerator(), value.GetDenominator())
}

func codes(tiles *laiziv1.Tiles) string {
	return cmp.Or(hex.EncodeToString(tiles.GetCodes()), "-")
}

func printReadPlay(answer *laiziv1.ReadPlayResponse) {
	fmt.Printf("legal %s, taken as %s\n", truth(answer.Legal), cmp.Or(answer.Taken, "-"))
	for _, reading := range answer.Readings {
		fmt.Printf("  %s: %s %s %d %s, %d cards\n", reading.Code, name(reading.Type, "PLAY_TYPE_"), reading.MainRank,
			reading.Length, name(reading.Tier, "BOMB_TIER_"), reading.Size)
		fmt.Printf("    body [%s] kickers [%s]\n", reading.Body.GetText(), reading.Kickers.GetText())
		var wilds []string
		for _, wild := range reading.StandIns {
			wilds = append(wilds, wild.Wild.GetText()+"="+wild.Rank)
		}
		fmt.Printf("    wilds %s\n", words(wilds))
		fmt.Printf("    clauses %s\n", words(reading.Clauses))
	}
	for _, refusal := range answer.Refusals {
		fmt.Printf("  refused %s: %s %s\n", name(refusal.Reason, "PLAY_REFUSAL_"), refusal.Text, words(refusal.Clauses))
	}
}

func printComparePlays(answer *laiziv1.ComparePlaysResponse) {
	fmt.Printf("beats %s %s\n", truth(answer.Beats), answer.Previous.GetCode())
	for _, item := range answer.Comparisons {
		fmt.Printf("  %s: %s %s %s\n", item.Reading.GetCode(), truth(item.Reading.GetBeatsPrevious()),
			name(item.Reason, "COMPARISON_REASON_"), words(item.Clauses))
	}
}

func printListPlays(answer *laiziv1.ListPlaysResponse) {
	fmt.Printf("%d of %d, may pass %s\n", len(answer.Plays), answer.Total, truth(answer.MayPass))
	for _, play := range answer.Plays {
		fmt.Printf("  [%s] %s\n", play.Cards.GetText(), play.Reading.GetCode())
	}
}

func printCheckHu(answer *laiziv1.CheckHuResponse) {
	value := answer.Value
	fmt.Printf("hu %s, big %s, hard %s\n", truth(value.Hu), truth(value.Big), truth(value.Hard))
	for _, refusal := range value.Refusals {
		fmt.Printf("  refused %s: %s %s\n", name(refusal.Reason, "HU_REFUSAL_"), refusal.Text, words(refusal.Clauses))
	}
	if !value.Hu {
		return
	}
	fmt.Printf("  base %s, points %s\n", fraction(value.Base), fraction(value.Points))
	for _, kind := range value.Types {
		fmt.Printf("  %s %s %s %s\n", kind.Name, kind.NameZh, fraction(kind.Value), words(kind.Clauses))
	}
	for _, group := range answer.Best.Groups {
		var wilds []string
		for _, wild := range group.StandIns {
			wilds = append(wilds, codes(wild.Wild)+"="+codes(wild.StandsFor))
		}
		fmt.Printf("  %s %s laid %s wilds %s\n", name(group.Kind, "GROUP_KIND_"), codes(group.Tiles), truth(group.Laid),
			words(wilds))
	}
}

func printPayments(payments []*laiziv1.Payment, seats []*laiziv1.SeatResult) {
	for _, payment := range payments {
		fmt.Printf("  seat %d pays seat %d %s\n", payment.FromSeat, payment.ToSeat, fraction(payment.Amount))
		for _, factor := range payment.Factors {
			fmt.Printf("    %s %s %s -> %s\n", factor.Name, name(factor.Operation, "FACTOR_OPERATION_"),
				fraction(factor.Operand), fraction(factor.Result))
		}
	}
	var deltas []string
	for _, seat := range seats {
		deltas = append(deltas, fmt.Sprintf("%d=%s", seat.Seat, fraction(seat.Delta)))
	}
	fmt.Printf("  deltas %s\n", words(deltas))
}

func printSettleGame(answer *laiziv1.SettleGameResponse) {
	fmt.Printf("landlord won %s, multiplier %s\n", truth(answer.LandlordWon), fraction(answer.Multiplier))
	printPayments(answer.Payments, answer.Seats)
}

func printSettleHand(answer *laiziv1.SettleHandResponse) {
	settlement := answer.Settlement
	guarantor := "-"
	if settlement.Guarantor != nil {
		guarantor = fmt.Sprint(*settlement.Guarantor)
	}
	fmt.Printf("gold %s, guarantor %s, next dealer %d\n", truth(settlement.Gold), guarantor, settlement.GetNextDealer())
	printPayments(settlement.Payments, settlement.Seats)
}

func printBatch(answer *laiziv1.BatchReadPlaysResponse) {
	for index, result := range answer.Results {
		if err := result.GetError(); err != nil {
			fmt.Printf("  %d: error %s in %s at %d\n", index, name(err.Reason, "ERROR_REASON_"), err.Field, err.GetPosition())
			continue
		}
		var readings []string
		for _, reading := range result.GetResponse().Readings {
			readings = append(readings, reading.Code)
		}
		fmt.Printf("  %d: %s\n", index, words(readings))
	}
}

// packed writes a packed reading: type, main rank, length and tier in 16 bits.
func packed(reading uint16) string {
	kind := laiziv1.PlayType(reading & 15)
	main := "*"
	if index := reading >> 4 & 15; index < 15 {
		main = ranks[index : index+1]
	}
	length := reading >> 8 & 15
	tier := laiziv1.BombTier(reading >> 12 & 7)
	return fmt.Sprintf("%s:%s:%d:%s", name(kind, "PLAY_TYPE_"), main, length, name(tier, "BOMB_TIER_"))
}

func printCardColumns(answer *laiziv1.ReadPlayColumnsResponse) {
	next := answer.Readings
	for row, count := range answer.ReadingCounts {
		if reason := laiziv1.ErrorReason(answer.Errors[row]); reason != 0 {
			fmt.Printf("  row %d: error %s\n", row, name(reason, "ERROR_REASON_"))
			continue
		}
		var readings []string
		for range count {
			readings = append(readings, packed(binary.LittleEndian.Uint16(next)))
			next = next[2:]
		}
		fmt.Printf("  row %d: %s\n", row, words(readings))
	}
}

func printTileColumns(answer *laiziv1.CheckHuColumnsResponse) {
	for row, verdict := range answer.Verdicts {
		if reason := laiziv1.ErrorReason(answer.Errors[row]); reason != 0 {
			fmt.Printf("  row %d: error %s\n", row, name(reason, "ERROR_REASON_"))
			continue
		}
		types := binary.LittleEndian.Uint16(answer.Types[2*row:])
		refusals := binary.LittleEndian.Uint16(answer.Refusals[2*row:])
		points := int32(binary.LittleEndian.Uint32(answer.Points[4*row:]))
		var held, why []string
		for bit, kind := range answer.TypeNames {
			if types>>bit&1 == 1 {
				held = append(held, kind)
			}
		}
		for bit := range 16 {
			if refusals>>bit&1 == 1 {
				why = append(why, name(laiziv1.HuRefusal(bit+1), "HU_REFUSAL_"))
			}
		}
		fmt.Printf("  row %d: hu %s, hard %s, big %s, points %d/%d, types %s, refused %s\n", row, truth(verdict&1 != 0),
			truth(verdict&2 != 0), truth(verdict&4 != 0), points, answer.PointsScale, words(held), words(why))
	}
}

func printFailure(failure laizi.Failure) {
	fmt.Printf("  %s, %s, in %s, at %s\n", failure.Code, cmp.Or(failure.Reason, "-"), cmp.Or(failure.Field, "-"),
		cmp.Or(failure.Metadata["position"], "-"))
}
