// What the answers look like on paper: every line of the example programs, the same in each language.

import { create } from "@bufbuild/protobuf";

import type { Failure } from "./client.js";
import type {
  BatchReadPlaysResponse,
  ComparePlaysResponse,
  ListPlaysResponse,
  ReadPlayColumnsResponse,
  ReadPlayResponse,
  SettleGameResponse,
} from "./gen/laizi/v1/doudizhu_pb.js";
import { BombTier, ComparisonReason, PlayType } from "./gen/laizi/v1/doudizhu_pb.js";
import { ErrorReason, HuRefusal, PlayRefusal } from "./gen/laizi/v1/errors_pb.js";
import type { CheckHuColumnsResponse, CheckHuResponse, SettleHandResponse } from "./gen/laizi/v1/mahjong_pb.js";
import { GroupKind } from "./gen/laizi/v1/mahjong_pb.js";
import type { Fraction, Payment, SeatResult, Tiles } from "./gen/laizi/v1/types_pb.js";
import { FactorOperation, FractionSchema } from "./gen/laizi/v1/types_pb.js";
import { RANKS } from "./questions.js";

/** A list on one line; nothing is a dash. */
function words(items: string[]): string {
  return items.join(",") || "-";
}

function truth(value: unknown): string {
  return value ? "yes" : "no";
}

function fraction({ numerator, denominator }: Fraction = create(FractionSchema)): string {
  return denominator === 1n ? `${numerator}` : `${numerator}/${denominator}`;
}

function codes(tiles?: Tiles): string {
  return tiles?.form.case === "codes" ? Buffer.from(tiles.form.value).toString("hex") || "-" : "-";
}

function text(cards?: { form: { case?: string | undefined; value?: string | Uint8Array | undefined } }): string {
  return cards?.form.case === "text" ? `${cards.form.value}` : "";
}

export function readPlay(answer: ReadPlayResponse): void {
  console.log(`legal ${truth(answer.legal)}, taken as ${answer.taken || "-"}`);
  for (const reading of answer.readings) {
    const { code, mainRank, length, size } = reading;
    console.log(`  ${code}: ${PlayType[reading.type]} ${mainRank} ${length} ${BombTier[reading.tier]}, ${size} cards`);
    console.log(`    body [${text(reading.body)}] kickers [${text(reading.kickers)}]`);
    console.log(`    wilds ${words(reading.standIns.map((wild) => `${text(wild.wild)}=${wild.rank}`))}`);
    console.log(`    clauses ${words(reading.clauses)}`);
  }
  for (const refusal of answer.refusals) {
    console.log(`  refused ${PlayRefusal[refusal.reason]}: ${refusal.text} ${words(refusal.clauses)}`);
  }
}

export function comparePlays(answer: ComparePlaysResponse): void {
  console.log(`beats ${truth(answer.beats)} ${answer.previous?.code}`);
  for (const { reading, reason, clauses } of answer.comparisons) {
    console.log(`  ${reading?.code}: ${truth(reading?.beatsPrevious)} ${ComparisonReason[reason]} ${words(clauses)}`);
  }
}

export function listPlays(answer: ListPlaysResponse): void {
  console.log(`${answer.plays.length} of ${answer.total}, may pass ${truth(answer.mayPass)}`);
  for (const play of answer.plays) {
    console.log(`  [${text(play.cards)}] ${play.reading?.code}`);
  }
}

export function checkHu(answer: CheckHuResponse): void {
  const value = answer.value!;
  console.log(`hu ${truth(value.hu)}, big ${truth(value.big)}, hard ${truth(value.hard)}`);
  for (const refusal of value.refusals) {
    console.log(`  refused ${HuRefusal[refusal.reason]}: ${refusal.text} ${words(refusal.clauses)}`);
  }
  if (!value.hu) {
    return;
  }
  console.log(`  base ${fraction(value.base)}, points ${fraction(value.points)}`);
  for (const kind of value.types) {
    console.log(`  ${kind.name} ${kind.nameZh} ${fraction(kind.value)} ${words(kind.clauses)}`);
  }
  for (const group of answer.best?.groups ?? []) {
    const wilds = words(group.standIns.map((wild) => `${codes(wild.wild)}=${codes(wild.standsFor)}`));
    console.log(`  ${GroupKind[group.kind]} ${codes(group.tiles)} laid ${truth(group.laid)} wilds ${wilds}`);
  }
}

function payments(items: Payment[], seats: SeatResult[]): void {
  for (const payment of items) {
    console.log(`  seat ${payment.fromSeat} pays seat ${payment.toSeat} ${fraction(payment.amount)}`);
    for (const factor of payment.factors) {
      const operation = `${FactorOperation[factor.operation]} ${fraction(factor.operand)}`;
      console.log(`    ${factor.name} ${operation} -> ${fraction(factor.result)}`);
    }
  }
  console.log(`  deltas ${words(seats.map((seat) => `${seat.seat}=${fraction(seat.delta)}`))}`);
}

export function settleGame(answer: SettleGameResponse): void {
  console.log(`landlord won ${truth(answer.landlordWon)}, multiplier ${fraction(answer.multiplier)}`);
  payments(answer.payments, answer.seats);
}

export function settleHand(answer: SettleHandResponse): void {
  const { gold, guarantor, nextDealer, payments: paid, seats } = answer.settlement!;
  console.log(`gold ${truth(gold)}, guarantor ${guarantor ?? "-"}, next dealer ${nextDealer}`);
  payments(paid, seats);
}

export function batch(answer: BatchReadPlaysResponse): void {
  for (const [index, { result }] of answer.results.entries()) {
    if (result.case === "error") {
      const { reason, field, position } = result.value;
      console.log(`  ${index}: error ${ErrorReason[reason]} in ${field} at ${position}`);
    } else {
      console.log(`  ${index}: ${words((result.value?.readings ?? []).map((reading) => reading.code))}`);
    }
  }
}

/** A packed reading: type, main rank, length and tier in 16 bits. */
function packed(reading: number): string {
  const kind = PlayType[reading & 15];
  const main = RANKS[(reading >> 4) & 15] ?? "*";
  return `${kind}:${main}:${(reading >> 8) & 15}:${BombTier[(reading >> 12) & 7]}`;
}

/** Where a column's numbers are read from; the bytes of a message lie inside a larger buffer. */
function view(column: Uint8Array): DataView {
  return new DataView(column.buffer, column.byteOffset, column.byteLength);
}

export function cardColumns(answer: ReadPlayColumnsResponse): void {
  const readings = view(answer.readings);
  let next = 0;
  for (const [row, count] of answer.readingCounts.entries()) {
    const error = answer.errors[row];
    if (error) {
      console.log(`  row ${row}: error ${ErrorReason[error]}`);
      continue;
    }
    const found = Array.from({ length: count }, (_, i) => packed(readings.getUint16(2 * (next + i), true)));
    console.log(`  row ${row}: ${words(found)}`);
    next += count;
  }
}

export function tileColumns(answer: CheckHuColumnsResponse): void {
  const [types, refusals, points] = [view(answer.types), view(answer.refusals), view(answer.points)];
  for (const [row, verdict] of answer.verdicts.entries()) {
    const error = answer.errors[row];
    if (error) {
      console.log(`  row ${row}: error ${ErrorReason[error]}`);
      continue;
    }
    const held = answer.typeNames.filter((_, bit) => (types.getUint16(2 * row, true) >> bit) & 1);
    const why = Array.from({ length: 16 }, (_, bit) => bit)
      .filter((bit) => (refusals.getUint16(2 * row, true) >> bit) & 1)
      .map((bit) => HuRefusal[bit + 1]!);
    console.log(
      `  row ${row}: hu ${truth(verdict & 1)}, hard ${truth(verdict & 2)}, big ${truth(verdict & 4)}, ` +
        `points ${points.getInt32(4 * row, true)}/${answer.pointsScale}, types ${words(held)}, refused ${words(why)}`,
    );
  }
}

export function failed(failure: Failure): void {
  const { code, reason, field, metadata } = failure;
  console.log(`  ${code}, ${reason || "-"}, in ${field || "-"}, at ${metadata["position"] ?? "-"}`);
}
