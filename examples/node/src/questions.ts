// The questions that every example program asks, the same in each language.

import type { MessageInitShape } from "@bufbuild/protobuf";

import type {
  BatchReadPlaysRequestSchema,
  ComparePlaysRequestSchema,
  ListPlaysRequestSchema,
  ReadPlayColumnsRequestSchema,
  ReadPlayRequestSchema,
  SettleGameRequestSchema,
} from "./gen/laizi/v1/doudizhu_pb.js";
import { BombTier, PlayType } from "./gen/laizi/v1/doudizhu_pb.js";
import type {
  CheckHuColumnsRequestSchema,
  CheckHuRequestSchema,
  SettleHandRequestSchema,
  WinCircumstancesSchema,
} from "./gen/laizi/v1/mahjong_pb.js";
import { MeldKind, WinMode } from "./gen/laizi/v1/mahjong_pb.js";
import type { CardsSchema, RuleSetSelectorSchema, TilesSchema } from "./gen/laizi/v1/types_pb.js";

type Rules = MessageInitShape<typeof RuleSetSelectorSchema>;
type Cards = MessageInitShape<typeof CardsSchema>;
type Tiles = MessageInitShape<typeof TilesSchema>;

const preset = (name: string): Rules => ({ base: { case: "preset", value: name } });
const cards = (text: string): Cards => ({ form: { case: "text", value: text } });
const tiles = (text: string): Tiles => ({ form: { case: "text", value: text } });
/** Tiles by one byte each, as game servers keep them. */
const tileCodes = (...codes: number[]): Tiles => ({ form: { case: "codes", value: Uint8Array.from(codes) } });

const huanle = preset("huanle");
const wuhan = preset("wuhan");
const honghu = preset("honghu");
const hongzhong = preset("hongzhong");

const sevens = { ranks: "7" };
const nineOfCircles = { wilds: tiles("9p") };

const bombOrTriple = cards("3d 3h 3s 7h");
const pairOfNines = { cards: cards("9c 9s") };
const fiveThrees = cards("33333");

type ReadPlay = MessageInitShape<typeof ReadPlayRequestSchema>;

export const read: ReadPlay = {
  rules: huanle,
  wilds: sevens,
  cards: bombOrTriple,
  hand: cards("3d 3h 3s 7h 8c Kd"),
};
export const readRefused: ReadPlay = { rules: wuhan, wilds: sevens, cards: cards("7d 7h") };
export const compare: MessageInitShape<typeof ComparePlaysRequestSchema> = {
  rules: huanle,
  wilds: sevens,
  challenger: { cards: bombOrTriple },
  previous: pairOfNines,
};
export const list: MessageInitShape<typeof ListPlaysRequestSchema> = {
  rules: huanle,
  wilds: sevens,
  hand: cards("4d 5c 8d 9h 9d Td Qs Qd 2c 7c X Y"),
  previous: pairOfNines,
  limit: 3,
};
export const settleGame: MessageInitShape<typeof SettleGameRequestSchema> = {
  rules: huanle,
  landlord: 1,
  seats: [{ plays: 3 }, { plays: 8, out: true, doubled: true }, { plays: 2 }],
  robs: 1,
  bombs: [{ type: PlayType.BOMB, tier: BombTier.SOFT, cards: 4, seat: 1 }],
};

const fromDiscard: MessageInitShape<typeof WinCircumstancesSchema> = { mode: WinMode.DISCARD, fromSeat: 2 };

export const hu: MessageInitShape<typeof CheckHuRequestSchema> = {
  rules: honghu,
  wilds: nineOfCircles,
  // 111222m 99m 5m and the wild 9p twice.
  concealed: tileCodes(1, 1, 1, 2, 2, 2, 9, 9, 5, 0x29, 0x29),
  melds: [{ kind: MeldKind.PENG, tiles: tileCodes(8, 8, 8), fromSeat: 3 }],
  winningTile: tileCodes(5),
  circumstances: fromDiscard,
};
export const huRefused: MessageInitShape<typeof CheckHuRequestSchema> = {
  rules: honghu,
  wilds: nineOfCircles,
  concealed: tiles("123m456p789s 55m z5z5z5"),
};
export const settleHand: MessageInitShape<typeof SettleHandRequestSchema> = {
  rules: honghu,
  winnerSeats: [0],
  circumstances: fromDiscard,
  types: ["pengpenghu", "qingyise"],
  table: { dealer: 1, seats: [{ seat: 0, openings: 1 }] },
};

export const batch: MessageInitShape<typeof BatchReadPlaysRequestSchema> = {
  rules: huanle,
  items: [
    { wilds: sevens, cards: bombOrTriple },
    { wilds: sevens, cards: fiveThrees },
    { wilds: sevens, cards: cards("4567 9") },
  ],
};

export const RANKS = "3456789TJQKA2XY";

/** A row of cards: two numbers of 64 bits, little-endian, with four bits a rank. */
function cardRow(naturals: string, wilds: string): Buffer {
  const row = Buffer.alloc(16);
  for (const [index, held] of [naturals, wilds].entries()) {
    let counts = 0n;
    for (const rank of held) {
      counts += 1n << BigInt(4 * RANKS.indexOf(rank));
    }
    row.writeBigUInt64LE(counts, 8 * index);
  }
  return row;
}

/** A row of tiles: 34 counts, written as digits in the order 万 筒 条 honours. */
function tileRow(counts: string): Buffer {
  return Buffer.from(Array.from(counts.replaceAll(" ", ""), Number));
}

export const cardColumns: MessageInitShape<typeof ReadPlayColumnsRequestSchema> = {
  rules: huanle,
  wilds: sevens,
  plays: Buffer.concat([
    cardRow("333", "7"),
    cardRow("45689", "7"),
    cardRow("33333", ""),
    cardRow("XY", ""),
    cardRow("39", ""),
  ]),
};
export const tileColumns: MessageInitShape<typeof CheckHuColumnsRequestSchema> = {
  rules: hongzhong,
  hands: {
    concealed: Buffer.concat([
      tileRow("111111111 320000000 000000000 0000000"),
      tileRow("222000000 000000000 222000000 0000011"),
      tileRow("111111111 500000000 000000000 0000000"),
      tileRow("110000000 303000000 000111000 0000300"),
      tileRow("111111111 310010000 000000000 0000000"),
    ]),
  },
};

/** Requests that get no answer, each with its deadline in seconds: malformed, under other rules than expected, too late. */
export const failing: { request: ReadPlay; timeout: number }[] = [
  { request: { rules: huanle, wilds: sevens, cards: fiveThrees }, timeout: 5 },
  {
    request: { rules: { ...huanle, expectDigest: "0123456789abcdef" }, wilds: sevens, cards: bombOrTriple },
    timeout: 5,
  },
  { request: read, timeout: -1 },
];
