// Asks a laizi service about both games: node dist/example.js ADDRESS[,ADDRESS...] SERVICE_CONFIG

import { readFileSync } from "node:fs";

import type { ServiceError } from "@grpc/grpc-js";

import { connect, failureOf, serviceClient } from "./client.js";
import { DoudizhuService } from "./gen/laizi/v1/doudizhu_pb.js";
import { MahjongService } from "./gen/laizi/v1/mahjong_pb.js";
import * as print from "./printing.js";
import * as questions from "./questions.js";

const [addresses, serviceConfigFile] = process.argv.slice(2);
if (!addresses || !serviceConfigFile) {
  console.error("usage: example.js ADDRESS[,ADDRESS...] SERVICE_CONFIG");
  process.exit(2);
}

// Round robin over the addresses, retries and the deadline of each method come from the service config.
const channel = connect(addresses, readFileSync(serviceConfigFile, "utf8"));
const doudizhu = serviceClient(DoudizhuService, channel);
const mahjong = serviceClient(MahjongService, channel);

try {
  console.log("ReadPlay");
  print.readPlay(await doudizhu.readPlay(questions.read));
  print.readPlay(await doudizhu.readPlay(questions.readRefused));
  console.log("ComparePlays");
  print.comparePlays(await doudizhu.comparePlays(questions.compare));
  console.log("ListPlays");
  print.listPlays(await doudizhu.listPlays(questions.list));
  console.log("SettleGame");
  print.settleGame(await doudizhu.settleGame(questions.settleGame));
  console.log("CheckHu");
  print.checkHu(await mahjong.checkHu(questions.hu));
  print.checkHu(await mahjong.checkHu(questions.huRefused));
  console.log("SettleHand");
  print.settleHand(await mahjong.settleHand(questions.settleHand));
  console.log("BatchReadPlays");
  print.batch(await doudizhu.batchReadPlays(questions.batch));
  console.log("ReadPlayColumns");
  print.cardColumns(await doudizhu.readPlayColumns(questions.cardColumns));
  console.log("CheckHuColumns");
  print.tileColumns(await mahjong.checkHuColumns(questions.tileColumns));

  // Errors are for the caller to handle. These three are never sent again: only UNAVAILABLE is.
  console.log("Errors");
  for (const { request, timeout } of questions.failing) {
    try {
      await doudizhu.readPlay(request, { deadline: Date.now() + 1000 * timeout });
    } catch (error) {
      print.failed(failureOf(error as ServiceError));
    }
  }
} catch (error) {
  console.error(`example: ${error}`);
  process.exitCode = 1;
} finally {
  channel.close();
}
