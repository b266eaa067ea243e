// Connects to the laizi service: a typed client for each service of the contract, on one channel, and its errors unpacked.

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type {
  DescMessage,
  DescMethodBiDiStreaming,
  DescMethodUnary,
  DescService,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import { anyIs } from "@bufbuild/protobuf/wkt";
import { Client, credentials, status } from "@grpc/grpc-js";
import type { CallOptions, ClientDuplexStream, ServiceError } from "@grpc/grpc-js";

import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema, StatusSchema } from "./gen/google/rpc/status_pb.js";

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/**
 * Open a channel over all addresses, `IP:port` with commas between them; `dns:///name:port` takes every address of a name.
 *
 * `serviceConfig` is the JSON text of a gRPC service config: balancing, retries and the deadline of each method. A call's own
 * deadline counts when it is earlier. The connection is not encrypted. The channel connects with the first call.
 */
export function connect(addresses: string, serviceConfig: string): Client {
  const target = addresses.startsWith("dns:") ? addresses : `ipv4:${addresses}`;
  return new Client(target, credentials.createInsecure(), {
    "grpc.service_config": serviceConfig,
    // Finds a dead peer behind a silent network, also between calls. The service permits a ping every ten seconds.
    "grpc.keepalive_time_ms": 30_000,
    "grpc.keepalive_timeout_ms": 10_000,
    "grpc.keepalive_permit_without_calls": 1,
    "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
    "grpc.max_send_message_length": MAX_MESSAGE_BYTES,
  });
}

type Unary<I extends DescMessage, O extends DescMessage> = (
  request: MessageInitShape<I>,
  options?: CallOptions,
) => Promise<MessageShape<O>>;
type Streaming<I extends DescMessage, O extends DescMessage> = (
  options?: CallOptions,
) => ClientDuplexStream<MessageShape<I>, MessageShape<O>>;

/** A client of one service: a function for each of its methods, such as `readPlay(request)`. */
export type ServiceClient<S extends DescService> = {
  [M in keyof S["method"]]: S["method"][M] extends DescMethodUnary<infer I, infer O>
    ? Unary<I, O>
    : S["method"][M] extends DescMethodBiDiStreaming<infer I, infer O>
      ? Streaming<I, O>
      : never;
};

export function serviceClient<S extends DescService>(service: S, channel: Client): ServiceClient<S> {
  const methods = service.methods.map((method) => [
    method.localName,
    method.methodKind === "unary"
      ? unary(channel, method as DescMethodUnary)
      : streaming(channel, method as DescMethodBiDiStreaming),
  ]);
  return Object.fromEntries(methods) as ServiceClient<S>;
}

export function unary<I extends DescMessage, O extends DescMessage>(
  channel: Client,
  method: DescMethodUnary<I, O>,
): Unary<I, O> {
  return (request, options = {}) =>
    new Promise((resolve, reject) => {
      channel.makeUnaryRequest(
        path(method),
        serializer(method.input),
        deserializer(method.output),
        create(method.input, request),
        options,
        (error, answer) => (error ? reject(error) : resolve(answer!)),
      );
    });
}

export function streaming<I extends DescMessage, O extends DescMessage>(
  channel: Client,
  method: DescMethodBiDiStreaming<I, O>,
): Streaming<I, O> {
  return (options = {}) =>
    channel.makeBidiStreamRequest(path(method), serializer(method.input), deserializer(method.output), options);
}

function path(method: DescMethodUnary | DescMethodBiDiStreaming): string {
  return `/${method.parent.typeName}/${method.name}`;
}

function serializer<T extends DescMessage>(schema: T): (message: MessageShape<T>) => Buffer {
  return (message) => Buffer.from(toBinary(schema, message));
}

function deserializer<T extends DescMessage>(schema: T): (bytes: Buffer) => MessageShape<T> {
  return (bytes) => fromBinary(schema, bytes);
}

/** What the status of a failed call says. */
export interface Failure {
  /** The gRPC code in its usual spelling, such as `INVALID_ARGUMENT`. */
  code: string;
  message: string;
  /** The name of an ErrorReason without its prefix; empty when the failure does not come from the service. */
  reason: string;
  /** Path of the wrong field, such as `hand.text`. */
  field: string;
  /** `position`, `limit` or `id`, where they exist. */
  metadata: Record<string, string>;
  /** After how many seconds to try again, where the service says so. */
  retrySeconds?: number | undefined;
}

export function failureOf(error: ServiceError): Failure {
  const failure: Failure = { code: status[error.code]!, message: error.details, reason: "", field: "", metadata: {} };
  for (const trailer of error.metadata.get("grpc-status-details-bin")) {
    for (const detail of fromBinary(StatusSchema, trailer as Buffer).details) {
      if (anyIs(detail, ErrorInfoSchema)) {
        const info = fromBinary(ErrorInfoSchema, detail.value);
        failure.reason = info.reason;
        failure.metadata = info.metadata;
      } else if (anyIs(detail, BadRequestSchema)) {
        // The service names one.
        failure.field = fromBinary(BadRequestSchema, detail.value).fieldViolations[0]?.field ?? "";
      } else if (anyIs(detail, RetryInfoSchema)) {
        const delay = fromBinary(RetryInfoSchema, detail.value).retryDelay;
        failure.retrySeconds = delay && Number(delay.seconds) + delay.nanos / 1e9;
      }
    }
  }
  return failure;
}
