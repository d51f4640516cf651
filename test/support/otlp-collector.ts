import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

/** A span as a collector receives it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface ReceivedExport {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

export interface OtlpCollector {
  readonly url: string;
  /** The spans of all traces so far, decoded from protobuf. */
  readonly spans: ReceivedSpan[];
  readonly exports: ReceivedExport[];
  close(): Promise<void>;
}

/** Starts a collector that speaks OTLP over HTTP (protobuf) and stores the received data. */
export async function startOtlpCollector(status = 200): Promise<OtlpCollector> {
  const spans: ReceivedSpan[] = [];
  const exports: ReceivedExport[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks);
    const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw;
    const path = request.url ?? "";
    exports.push({ path, headers: request.headers, body });
    const isProtobuf = request.headers["content-type"] === "application/x-protobuf";
    if (path === "/v1/traces" && isProtobuf) spans.push(...decodeSpans(body));
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    exports,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Field = bigint | Buffer;

/** Returns the fields of a protobuf message by their numbers (https://protobuf.dev/programming-guides/encoding/). */
function fieldsOf(bytes: Buffer): Map<number, Field[]> {
  const fields = new Map<number, Field[]>();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const sized = (length: number) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    const value = wire === 0 ? varint() : sized(wire === 1 ? 8 : wire === 5 ? 4 : Number(varint()));
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

const messages = (fields: Map<number, Field[]>, number: number) => (fields.get(number) ?? []) as Buffer[];
const text = (fields: Map<number, Field[]>, number: number, encoding: BufferEncoding = "utf8") =>
  messages(fields, number)[0]?.toString(encoding) ?? "";

function decodeSpans(body: Buffer): ReceivedSpan[] {
  return messages(fieldsOf(body), 1)
    .flatMap((resource) => messages(fieldsOf(resource), 2))
    .flatMap((scope) => messages(fieldsOf(scope), 2))
    .map((bytes) => {
      const span = fieldsOf(bytes);
      const attributes = messages(span, 9).map((pair) => {
        const fields = fieldsOf(pair);
        return [text(fields, 1), decodeValue(messages(fields, 2)[0] ?? Buffer.alloc(0))] as const;
      });
      return {
        traceId: text(span, 1, "hex"),
        spanId: text(span, 2, "hex"),
        parentSpanId: text(span, 4, "hex"),
        name: text(span, 5),
        attributes: Object.fromEntries(attributes),
      };
    });
}

/** Decodes an `AnyValue` of OTLP: a string, boolean, integer, double or list. */
function decodeValue(bytes: Buffer): unknown {
  const fields = fieldsOf(bytes);
  const [number, [value] = []] = [...fields][0] ?? [];
  if (number === 1) return (value as Buffer).toString("utf8");
  if (number === 2) return value !== 0n;
  if (number === 3) return Number(value);
  if (number === 4) return (value as Buffer).readDoubleLE();
  return messages(fieldsOf(value as Buffer), 1).map(decodeValue);
}
