package laizi.example;

import com.google.protobuf.ByteString;
import com.google.protobuf.ProtocolMessageEnum;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import laizi.v1.BatchReadPlaysResponse;
import laizi.v1.BombTier;
import laizi.v1.CheckHuColumnsResponse;
import laizi.v1.CheckHuResponse;
import laizi.v1.ComparePlaysResponse;
import laizi.v1.ErrorReason;
import laizi.v1.Factor;
import laizi.v1.Fraction;
import laizi.v1.HuGroup;
import laizi.v1.HuRefusal;
import laizi.v1.HuRefusalDetail;
import laizi.v1.HuType;
import laizi.v1.HuValue;
import laizi.v1.ItemError;
import laizi.v1.ListPlaysResponse;
import laizi.v1.ListedPlay;
import laizi.v1.Payment;
import laizi.v1.PlayRefusalDetail;
import laizi.v1.PlayType;
import laizi.v1.ReadPlayColumnsResponse;
import laizi.v1.ReadPlayResponse;
import laizi.v1.ReadPlayResult;
import laizi.v1.Reading;
import laizi.v1.ReadingComparison;
import laizi.v1.SeatResult;
import laizi.v1.SettleGameResponse;
import laizi.v1.SettleHandResponse;
import laizi.v1.Settlement;
import laizi.v1.Tiles;

/** What the answers look like on paper: every line of the example programs, the same in each language. */
record Printing(PrintStream out) {

  /** Writes a line; the same on every platform and in every locale. */
  private void line(String format, Object... values) {
    out.printf(Locale.ROOT, format + "\n", values);
  }

  void title(String name) {
    line("%s", name);
  }

  void readPlay(ReadPlayResponse answer) {
    line("legal %s, taken as %s", truth(answer.getLegal()), orDash(answer.getTaken()));
    for (Reading reading : answer.getReadingsList()) {
      line(
          "  %s: %s %s %d %s, %d cards",
          reading.getCode(),
          name(reading.getType(), "PLAY_TYPE_"),
          reading.getMainRank(),
          reading.getLength(),
          name(reading.getTier(), "BOMB_TIER_"),
          reading.getSize());
      line("    body [%s] kickers [%s]", reading.getBody().getText(), reading.getKickers().getText());
      line(
          "    wilds %s",
          words(reading.getStandInsList().stream().map(wild -> wild.getWild().getText() + "=" + wild.getRank())));
      line("    clauses %s", words(reading.getClausesList()));
    }
    for (PlayRefusalDetail refusal : answer.getRefusalsList()) {
      line(
          "  refused %s: %s %s",
          name(refusal.getReason(), "PLAY_REFUSAL_"), refusal.getText(), words(refusal.getClausesList()));
    }
  }

  void comparePlays(ComparePlaysResponse answer) {
    line("beats %s %s", truth(answer.getBeats()), answer.getPrevious().getCode());
    for (ReadingComparison item : answer.getComparisonsList()) {
      line(
          "  %s: %s %s %s",
          item.getReading().getCode(),
          truth(item.getReading().getBeatsPrevious()),
          name(item.getReason(), "COMPARISON_REASON_"),
          words(item.getClausesList()));
    }
  }

  void listPlays(ListPlaysResponse answer) {
    line("%d of %d, may pass %s", answer.getPlaysCount(), answer.getTotal(), truth(answer.getMayPass()));
    for (ListedPlay play : answer.getPlaysList()) {
      line("  [%s] %s", play.getCards().getText(), play.getReading().getCode());
    }
  }

  void checkHu(CheckHuResponse answer) {
    HuValue value = answer.getValue();
    line("hu %s, big %s, hard %s", truth(value.getHu()), truth(value.getBig()), truth(value.getHard()));
    for (HuRefusalDetail refusal : value.getRefusalsList()) {
      line(
          "  refused %s: %s %s",
          name(refusal.getReason(), "HU_REFUSAL_"), refusal.getText(), words(refusal.getClausesList()));
    }
    if (!value.getHu()) {
      return;
    }
    line("  base %s, points %s", fraction(value.getBase()), fraction(value.getPoints()));
    for (HuType kind : value.getTypesList()) {
      line(
          "  %s %s %s %s",
          kind.getName(), kind.getNameZh(), fraction(kind.getValue()), words(kind.getClausesList()));
    }
    for (HuGroup group : answer.getBest().getGroupsList()) {
      line(
          "  %s %s laid %s wilds %s",
          name(group.getKind(), "GROUP_KIND_"),
          codes(group.getTiles()),
          truth(group.getLaid()),
          words(
              group.getStandInsList().stream().map(wild -> codes(wild.getWild()) + "=" + codes(wild.getStandsFor()))));
    }
  }

  void settleGame(SettleGameResponse answer) {
    line("landlord won %s, multiplier %s", truth(answer.getLandlordWon()), fraction(answer.getMultiplier()));
    payments(answer.getPaymentsList(), answer.getSeatsList());
  }

  void settleHand(SettleHandResponse answer) {
    Settlement settlement = answer.getSettlement();
    line(
        "gold %s, guarantor %s, next dealer %d",
        truth(settlement.getGold()),
        settlement.hasGuarantor() ? settlement.getGuarantor() : "-",
        settlement.getNextDealer());
    payments(settlement.getPaymentsList(), settlement.getSeatsList());
  }

  private void payments(List<Payment> payments, List<SeatResult> seats) {
    for (Payment payment : payments) {
      line(
          "  seat %d pays seat %d %s", payment.getFromSeat(), payment.getToSeat(), fraction(payment.getAmount()));
      for (Factor factor : payment.getFactorsList()) {
        line(
            "    %s %s %s -> %s",
            factor.getName(),
            name(factor.getOperation(), "FACTOR_OPERATION_"),
            fraction(factor.getOperand()),
            fraction(factor.getResult()));
      }
    }
    line("  deltas %s", words(seats.stream().map(seat -> seat.getSeat() + "=" + fraction(seat.getDelta()))));
  }

  void batch(BatchReadPlaysResponse answer) {
    for (int index = 0; index < answer.getResultsCount(); index++) {
      ReadPlayResult result = answer.getResults(index);
      if (result.hasError()) {
        ItemError error = result.getError();
        line(
            "  %d: error %s in %s at %d",
            index, name(error.getReason(), "ERROR_REASON_"), error.getField(), error.getPosition());
      } else {
        line("  %d: %s", index, words(result.getResponse().getReadingsList().stream().map(Reading::getCode)));
      }
    }
  }

  void cardColumns(ReadPlayColumnsResponse answer) {
    ByteBuffer readings = numbers(answer.getReadings());
    for (int row = 0; row < answer.getReadingCounts().size(); row++) {
      if (answer.getErrors().byteAt(row) != 0) {
        badRow(row, answer.getErrors().byteAt(row));
        continue;
      }
      int count = Byte.toUnsignedInt(answer.getReadingCounts().byteAt(row));
      line("  row %d: %s", row, words(Stream.generate(() -> packed(readings.getShort())).limit(count)));
    }
  }

  void tileColumns(CheckHuColumnsResponse answer) {
    ByteBuffer types = numbers(answer.getTypes());
    ByteBuffer refusals = numbers(answer.getRefusals());
    ByteBuffer points = numbers(answer.getPoints());
    for (int row = 0; row < answer.getVerdicts().size(); row++) {
      if (answer.getErrors().byteAt(row) != 0) {
        badRow(row, answer.getErrors().byteAt(row));
        continue;
      }
      int verdict = answer.getVerdicts().byteAt(row);
      line(
          "  row %d: hu %s, hard %s, big %s, points %d/%d, types %s, refused %s",
          row,
          truth((verdict & 1) != 0),
          truth((verdict & 2) != 0),
          truth((verdict & 4) != 0),
          points.getInt(4 * row),
          answer.getPointsScale(),
          words(bits(types.getShort(2 * row)).mapToObj(answer::getTypeNames)),
          words(bits(refusals.getShort(2 * row)).mapToObj(bit -> name(HuRefusal.forNumber(bit + 1), "HU_REFUSAL_"))));
    }
  }

  private void badRow(int row, byte error) {
    line("  row %d: error %s", row, name(ErrorReason.forNumber(error), "ERROR_REASON_"));
  }

  void failed(Failure failure) {
    line(
        "  %s, %s, in %s, at %s",
        failure.code(),
        orDash(failure.reason()),
        orDash(failure.field()),
        failure.metadata().getOrDefault("position", "-"));
  }

  /** The name of an enum value without the prefix that all values of its enum share. */
  private static String name(ProtocolMessageEnum value, String prefix) {
    return value.getValueDescriptor().getName().substring(prefix.length());
  }

  /** A list on one line; nothing is a dash. */
  private static String words(List<String> items) {
    return orDash(String.join(",", items));
  }

  private static String words(Stream<String> items) {
    return words(items.toList());
  }

  private static String orDash(String text) {
    return text.isEmpty() ? "-" : text;
  }

  private static String truth(boolean value) {
    return value ? "yes" : "no";
  }

  private static String fraction(Fraction value) {
    return value.getDenominator() == 1
        ? Long.toString(value.getNumerator())
        : value.getNumerator() + "/" + value.getDenominator();
  }

  private static String codes(Tiles tiles) {
    return orDash(HexFormat.of().formatHex(tiles.getCodes().toByteArray()));
  }

  /** A column of numbers. */
  private static ByteBuffer numbers(ByteString column) {
    return column.asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** The bits that are set in 16. */
  private static IntStream bits(short set) {
    return IntStream.range(0, 16).filter(bit -> (set >> bit & 1) == 1);
  }

  /** A packed reading: type, main rank, length and tier in 16 bits. */
  private static String packed(short reading) {
    int main = reading >> 4 & 15;
    return "%s:%s:%d:%s"
        .formatted(
            name(PlayType.forNumber(reading & 15), "PLAY_TYPE_"),
            main < Questions.RANKS.length() ? Questions.RANKS.charAt(main) : "*",
            reading >> 8 & 15,
            name(BombTier.forNumber(reading >> 12 & 7), "BOMB_TIER_"));
  }
}
