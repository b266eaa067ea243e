package laizi.example;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import laizi.v1.BatchReadPlaysRequest;
import laizi.v1.BombTier;
import laizi.v1.Cards;
import laizi.v1.CheckHuColumnsRequest;
import laizi.v1.CheckHuRequest;
import laizi.v1.ComparePlaysRequest;
import laizi.v1.HandColumns;
import laizi.v1.ListPlaysRequest;
import laizi.v1.Meld;
import laizi.v1.MeldKind;
import laizi.v1.Play;
import laizi.v1.PlayType;
import laizi.v1.PlayedBomb;
import laizi.v1.ReadPlayColumnsRequest;
import laizi.v1.ReadPlayRequest;
import laizi.v1.RuleSetSelector;
import laizi.v1.SeatFactors;
import laizi.v1.SeatRecord;
import laizi.v1.SettleGameRequest;
import laizi.v1.SettleHandRequest;
import laizi.v1.TableFactors;
import laizi.v1.Tiles;
import laizi.v1.WildTiles;
import laizi.v1.Wilds;
import laizi.v1.WinCircumstances;
import laizi.v1.WinMode;

/** The questions that every example program asks, the same in each language. */
final class Questions {
  static final String RANKS = "3456789TJQKA2XY";

  private static final RuleSetSelector HUANLE = preset("huanle");
  private static final RuleSetSelector WUHAN = preset("wuhan");
  private static final RuleSetSelector HONGHU = preset("honghu");
  private static final RuleSetSelector HONGZHONG = preset("hongzhong");

  private static final Wilds SEVENS = Wilds.newBuilder().setRanks("7").build();
  private static final WildTiles NINE_OF_CIRCLES = WildTiles.newBuilder().setWilds(tiles("9p")).build();

  private static final Cards BOMB_OR_TRIPLE = cards("3d 3h 3s 7h");
  private static final Play PAIR_OF_NINES = Play.newBuilder().setCards(cards("9c 9s")).build();
  private static final Cards FIVE_THREES = cards("33333");

  static final ReadPlayRequest READ =
      ReadPlayRequest.newBuilder()
          .setRules(HUANLE)
          .setWilds(SEVENS)
          .setCards(BOMB_OR_TRIPLE)
          .setHand(cards("3d 3h 3s 7h 8c Kd"))
          .build();
  static final ReadPlayRequest READ_REFUSED =
      ReadPlayRequest.newBuilder().setRules(WUHAN).setWilds(SEVENS).setCards(cards("7d 7h")).build();
  static final ComparePlaysRequest COMPARE =
      ComparePlaysRequest.newBuilder()
          .setRules(HUANLE)
          .setWilds(SEVENS)
          .setChallenger(Play.newBuilder().setCards(BOMB_OR_TRIPLE))
          .setPrevious(PAIR_OF_NINES)
          .build();
  static final ListPlaysRequest LIST =
      ListPlaysRequest.newBuilder()
          .setRules(HUANLE)
          .setWilds(SEVENS)
          .setHand(cards("4d 5c 8d 9h 9d Td Qs Qd 2c 7c X Y"))
          .setPrevious(PAIR_OF_NINES)
          .setLimit(3)
          .build();
  static final SettleGameRequest SETTLE_GAME =
      SettleGameRequest.newBuilder()
          .setRules(HUANLE)
          .setLandlord(1)
          .addSeats(SeatRecord.newBuilder().setPlays(3))
          .addSeats(SeatRecord.newBuilder().setPlays(8).setOut(true).setDoubled(true))
          .addSeats(SeatRecord.newBuilder().setPlays(2))
          .setRobs(1)
          .addBombs(
              PlayedBomb.newBuilder()
                  .setType(PlayType.PLAY_TYPE_BOMB)
                  .setTier(BombTier.BOMB_TIER_SOFT)
                  .setCards(4)
                  .setSeat(1))
          .build();

  private static final WinCircumstances FROM_DISCARD =
      WinCircumstances.newBuilder().setMode(WinMode.WIN_MODE_DISCARD).setFromSeat(2).build();

  static final CheckHuRequest HU =
      CheckHuRequest.newBuilder()
          .setRules(HONGHU)
          .setWilds(NINE_OF_CIRCLES)
          // 111222m 99m 5m and the wild 9p twice.
          .setConcealed(tileCodes(1, 1, 1, 2, 2, 2, 9, 9, 5, 0x29, 0x29))
          .addMelds(
              Meld.newBuilder().setKind(MeldKind.MELD_KIND_PENG).setTiles(tileCodes(8, 8, 8)).setFromSeat(3))
          .setWinningTile(tileCodes(5))
          .setCircumstances(FROM_DISCARD)
          .build();
  static final CheckHuRequest HU_REFUSED =
      CheckHuRequest.newBuilder()
          .setRules(HONGHU)
          .setWilds(NINE_OF_CIRCLES)
          .setConcealed(tiles("123m456p789s 55m z5z5z5"))
          .build();
  static final SettleHandRequest SETTLE_HAND =
      SettleHandRequest.newBuilder()
          .setRules(HONGHU)
          .addWinnerSeats(0)
          .setCircumstances(FROM_DISCARD)
          .addTypes("pengpenghu")
          .addTypes("qingyise")
          .setTable(
              TableFactors.newBuilder().setDealer(1).addSeats(SeatFactors.newBuilder().setSeat(0).setOpenings(1)))
          .build();

  static final BatchReadPlaysRequest BATCH =
      BatchReadPlaysRequest.newBuilder()
          .setRules(HUANLE)
          .addItems(ReadPlayRequest.newBuilder().setWilds(SEVENS).setCards(BOMB_OR_TRIPLE))
          .addItems(ReadPlayRequest.newBuilder().setWilds(SEVENS).setCards(FIVE_THREES))
          .addItems(ReadPlayRequest.newBuilder().setWilds(SEVENS).setCards(cards("4567 9")))
          .build();

  static final ReadPlayColumnsRequest CARD_COLUMNS =
      ReadPlayColumnsRequest.newBuilder()
          .setRules(HUANLE)
          .setWilds(SEVENS)
          .setPlays(
              ByteString.copyFrom(
                  List.of(
                      cardRow("333", "7"),
                      cardRow("45689", "7"),
                      cardRow("33333", ""),
                      cardRow("XY", ""),
                      cardRow("39", ""))))
          .build();
  static final CheckHuColumnsRequest TILE_COLUMNS =
      CheckHuColumnsRequest.newBuilder()
          .setRules(HONGZHONG)
          .setHands(
              HandColumns.newBuilder()
                  .setConcealed(
                      ByteString.copyFrom(
                          List.of(
                              tileRow("111111111 320000000 000000000 0000000"),
                              tileRow("222000000 000000000 222000000 0000011"),
                              tileRow("111111111 500000000 000000000 0000000"),
                              tileRow("110000000 303000000 000111000 0000300"),
                              tileRow("111111111 310010000 000000000 0000000")))))
          .build();

  /** A request that gets no answer. */
  record Failing(ReadPlayRequest request, long timeoutSeconds) {}

  /** Malformed, under other rules than expected, too late. */
  static final List<Failing> FAILING =
      List.of(
          new Failing(
              ReadPlayRequest.newBuilder().setRules(HUANLE).setWilds(SEVENS).setCards(FIVE_THREES).build(), 5),
          new Failing(
              ReadPlayRequest.newBuilder()
                  .setRules(HUANLE.toBuilder().setExpectDigest("0123456789abcdef"))
                  .setWilds(SEVENS)
                  .setCards(BOMB_OR_TRIPLE)
                  .build(),
              5),
          new Failing(READ, -1));

  private Questions() {}

  private static RuleSetSelector preset(String name) {
    return RuleSetSelector.newBuilder().setPreset(name).build();
  }

  private static Cards cards(String text) {
    return Cards.newBuilder().setText(text).build();
  }

  private static Tiles tiles(String text) {
    return Tiles.newBuilder().setText(text).build();
  }

  /** Tiles by one byte each, as game servers keep them. */
  private static Tiles tileCodes(int... codes) {
    byte[] bytes = new byte[codes.length];
    for (int i = 0; i < codes.length; i++) {
      bytes[i] = (byte) codes[i];
    }
    return Tiles.newBuilder().setCodes(ByteString.copyFrom(bytes)).build();
  }

  /** A row of cards: two numbers of 64 bits, little-endian, with four bits a rank. */
  private static ByteString cardRow(String naturals, String wilds) {
    ByteBuffer row = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
    for (String held : List.of(naturals, wilds)) {
      row.putLong(held.chars().mapToLong(rank -> 1L << 4 * RANKS.indexOf(rank)).sum());
    }
    return ByteString.copyFrom(row.flip());
  }

  /** A row of tiles: 34 counts, written as digits in the order 万 筒 条 honours. */
  private static ByteString tileRow(String counts) {
    byte[] row = new byte[34];
    int[] digits = counts.chars().filter(Character::isDigit).map(digit -> digit - '0').toArray();
    for (int i = 0; i < row.length; i++) {
      row[i] = (byte) digits[i];
    }
    return ByteString.copyFrom(row);
  }
}
