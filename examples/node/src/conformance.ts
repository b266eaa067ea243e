// Sends every request of a file of cases and compares the answers with those of the file:
//
//     node dist/conformance.js ADDRESS[,ADDRESS...] SERVICE_CONFIG CASES IGNORED
//
// Prints the cases that fail and exits with 0 when all pass, with 1 when some fail, with 2 when there is nothing to compare.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

import { createRegistry, equals, fromJson, toJsonString } from "@bufbuild/protobuf";
import type { DescMethodBiDiStreaming, DescMethodUnary, JsonValue, Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import type { ReflectMessage } from "@bufbuild/protobuf/reflect";
import { status } from "@grpc/grpc-js";
import type { Client, ServiceError } from "@grpc/grpc-js";

import { connect, failureOf, streaming, unary } from "./client.js";
import type { Failure } from "./client.js";
import { file_laizi_v1_doudizhu } from "./gen/laizi/v1/doudizhu_pb.js";
import { file_laizi_v1_mahjong } from "./gen/laizi/v1/mahjong_pb.js";
import { file_laizi_v1_rules } from "./gen/laizi/v1/rules_pb.js";

/** One line of the file: it has an error, or as many responses as there are requests. */
interface Case {
  id: string;
  rpc: string;
  request?: JsonValue;
  response?: JsonValue;
  requests?: JsonValue[];
  responses?: JsonValue[];
  error?: Pick<Failure, "code"> & Partial<Pick<Failure, "reason" | "field" | "metadata">>;
}

const registry = createRegistry(file_laizi_v1_doudizhu, file_laizi_v1_mahjong, file_laizi_v1_rules);

/** Asks one case and describes how the answer differs from the one expected; undefined when they are equal. */
async function compare(channel: Client, ignored: Set<string>, test: Case): Promise<string | undefined> {
  const [serviceName, methodName] = test.rpc.split("/");
  const method = registry.getService(serviceName!)?.methods.find(({ name }) => name === methodName);
  if (!method) {
    throw new Error(`${test.rpc} is no method`);
  }
  const requests = (test.requests ?? [test.request!]).map((request) => fromJson(method.input, request));
  let answers: Message[];
  try {
    answers =
      method.methodKind === "unary"
        ? [await unary(channel, method as DescMethodUnary)(requests[0]!)]
        : await converse(channel, method as DescMethodBiDiStreaming, requests);
  } catch (error) {
    return compareErrors(test, error as ServiceError);
  }

  const text = (messages: Message[]) => messages.map((message) => toJsonString(method.output, message)).join("\n");
  if (test.error) {
    return `expected ${JSON.stringify(test.error)}, got ${text(answers)}`;
  }
  const expected = (test.responses ?? [test.response!]).map((response) => fromJson(method.output, response));
  for (const message of [...expected, ...answers]) {
    clear(reflect(method.output, message), ignored);
  }
  const same =
    expected.length === answers.length && expected.every((message, i) => equals(method.output, message, answers[i]!));
  return same ? undefined : `expected ${text(expected)}, got ${text(answers)}`;
}

function compareErrors(test: Case, error: ServiceError): string | undefined {
  if (!(error.code in status)) {
    throw error; // a fault of this program
  }
  const { code, reason, field, metadata, message } = failureOf(error);
  if (!reason && error.code === status.UNAVAILABLE) {
    throw new Error(`the service cannot be reached: ${message}`);
  }
  const got = { code, reason, field, metadata: { ...metadata } };
  // What the line leaves out is empty.
  if (test.error && isDeepStrictEqual(got, { reason: "", field: "", metadata: {}, ...test.error })) {
    return undefined;
  }
  return `expected ${test.error ? JSON.stringify(test.error) : "an answer"}, got ${JSON.stringify(got)}: ${message}`;
}

/** Sends all requests on one stream and returns the answers in the order of their correlation ids. */
async function converse(channel: Client, method: DescMethodBiDiStreaming, requests: Message[]): Promise<Message[]> {
  const stream = streaming(channel, method)({ deadline: Date.now() + 60_000 });
  const answers: Message[] = [];
  stream.on("data", (answer: Message) => answers.push(answer));
  const end = once(stream, "end"); // rejects with the error of the call
  for (const request of requests) {
    stream.write(request);
  }
  stream.end();
  await end;
  const id = (answer: Message) => (answer as Message & { correlationId: bigint }).correlationId;
  return answers.sort((a, b) => Number(id(a) - id(b)));
}

/** Removes every field that is not to be compared. */
function clear(message: ReflectMessage, ignored: Set<string>): void {
  for (const field of message.fields) {
    if (!message.isSet(field)) {
      continue;
    }
    if (ignored.has(`${field.parent.typeName}.${field.name}`)) {
      message.clear(field);
    } else if (field.fieldKind === "message") {
      clear(message.get(field), ignored);
    } else if (field.fieldKind === "list" && field.listKind === "message") {
      for (const item of message.get(field)) {
        clear(item as ReflectMessage, ignored);
      }
    } else if (field.fieldKind === "map" && field.mapKind === "message") {
      for (const item of message.get(field).values()) {
        clear(item as ReflectMessage, ignored);
      }
    }
  }
}

function lines(file: string): string[] {
  return readFileSync(file, "utf8").split("\n").filter(Boolean);
}

async function run(addresses: string, serviceConfigFile: string, casesFile: string, ignoredFile: string): Promise<number> {
  const cases = lines(casesFile).map((line) => JSON.parse(line) as Case);
  if (cases.length === 0) {
    throw new Error(`${casesFile} holds no cases`);
  }
  const ignored = new Set(lines(ignoredFile)); // full names of fields; comments match none
  const channel = connect(addresses, readFileSync(serviceConfigFile, "utf8"));
  let failed = 0;
  try {
    for (const test of cases) {
      const difference = await compare(channel, ignored, test).catch((error: unknown) => {
        throw new Error(`${casesFile}, ${test.id}: ${error}`);
      });
      if (difference !== undefined) {
        failed += 1;
        console.log(`FAIL ${test.id} ${test.rpc} ${difference}`);
      }
    }
  } finally {
    channel.close();
  }
  console.log(`${cases.length} cases, ${failed} failed`);
  return failed;
}

const [addresses, serviceConfigFile, casesFile, ignoredFile] = process.argv.slice(2);
if (!addresses || !serviceConfigFile || !casesFile || !ignoredFile) {
  console.error("usage: conformance.js ADDRESS[,ADDRESS...] SERVICE_CONFIG CASES IGNORED");
  process.exit(2);
}
try {
  process.exitCode = (await run(addresses, serviceConfigFile, casesFile, ignoredFile)) > 0 ? 1 : 0;
} catch (error) {
  console.error(`conformance: ${error}`);
  process.exitCode = 2;
}
