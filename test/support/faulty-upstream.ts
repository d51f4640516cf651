import { type AddressInfo, createServer, type Socket } from "node:net";
import { SECRET, type UpstreamFailure } from "./upstream-errors.ts";
import { type ClientDialect, DIALECTS } from "./vendor-responses.ts";

/** One call: its client, its upstream, and its fault. */
export interface FailureCase {
  readonly client: ClientDialect;
  readonly upstream: ClientDialect;
  readonly isStream: boolean;
  /** A stream of the generative-language dialect as one JSON array. */
  readonly isArray?: boolean;
  readonly failure: UpstreamFailure;
}

/** An upstream of every dialect at one address that responds to each call as its case defines. */
export interface FaultyUpstream {
  /** `upstreams` and `models` of a configuration that route every case to an upstream of its dialect. */
  readonly settings: object;
  /** The open connections of a case. */
  readonly open: (number: number) => number;
  readonly close: () => Promise<void>;
}

/** The model's name contains the case and the upstream configuration that it needs. */
export const modelOf = (number: number, { upstream, failure }: FailureCase) =>
  `case-${number}-${upstream}-${failure.silence ?? "patient"}`;

/** Short limits only if silence is the fault, so that a busy machine is not mistaken for a silent upstream. */
const TIMEOUTS = { patient: {}, first_byte: { first_byte: 0.4 }, idle: { idle: 0.4 } };

const EVERY_UPSTREAM = DIALECTS.flatMap((dialect) =>
  Object.entries(TIMEOUTS).map(([limit, timeouts]) => ({ name: `${dialect}-${limit}`, dialect, timeouts })),
);

export async function startFaultyUpstream(cases: readonly FailureCase[]): Promise<FaultyUpstream> {
  const connections = new Map<Socket, number>();
  const attempts = new Map<number, number>();
  const vendor = createServer((socket) => {
    connections.set(socket, -1);
    socket.on("close", () => connections.delete(socket));
    socket.on("error", () => {});
    let text = "";
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      const number = Number(/case-(\d+)-/.exec(text)?.[1]);
      const found = cases[number];
      if (!found || !isWholeRequest(text)) return;
      text = "";
      connections.set(socket, number);
      const attempt = (attempts.get(number) ?? 0) + 1;
      attempts.set(number, attempt);
      void found.failure.behave(socket, found.upstream, found.isStream, attempt);
    });
  });
  await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
  const base_url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
  return {
    settings: {
      upstreams: Object.fromEntries(
        EVERY_UPSTREAM.map(({ name, dialect, timeouts }) => [
          name,
          { dialect, base_url, api_key: SECRET, models: [], timeouts },
        ]),
      ),
      models: EVERY_UPSTREAM.map(({ name }) => ({ match: `case-*-${name}`, upstream: name })),
    },
    open: (number) => [...connections.values()].filter((each) => each === number).length,
    async close() {
      for (const socket of connections.keys()) socket.destroy();
      await new Promise((resolve) => vendor.close(resolve));
    },
  };
}

/** Returns whether bytes, one per character, are a complete request with `content-length`. */
export function isWholeRequest(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return end >= 0 && text.length >= end + 4 + length;
}

/** The result of a call, even if the connection broke. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  /** Each character a byte. */
  readonly text: string;
  readonly isBroken: boolean;
}

const QUESTION: Record<ClientDialect, object> = {
  "chat-completions": { messages: [{ role: "user", content: "Hi" }] },
  responses: { input: "Hi" },
  messages: { max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
  "generative-language": { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
};

/** Returns the path and body of a dialect's simplest call. */
export function question(client: ClientDialect, model: string, isStream: boolean, isArray = false) {
  const method = isStream ? `streamGenerateContent${isArray ? "" : "?alt=sse"}` : "generateContent";
  const path = {
    "chat-completions": "/v1/chat/completions",
    responses: "/v1/responses",
    messages: "/v1/messages",
    "generative-language": `/v1beta/models/${model}:${method}`,
  }[client];
  const isNamed = client !== "generative-language";
  const body = JSON.stringify({
    ...QUESTION[client],
    ...(isNamed ? { model } : {}),
    ...(isNamed && isStream ? { stream: true } : {}),
  });
  return { path, body };
}

/** Makes the call of a case. */
export function callFaulty(proxyUrl: string, number: number, each: FailureCase): Promise<Received> {
  return callUpstream(proxyUrl, each.client, modelOf(number, each), each.isStream, each.isArray);
}

/** Makes a dialect's simplest call and returns the result. */
export async function callUpstream(
  proxyUrl: string,
  ...[client, model, isStream, isArray]: Parameters<typeof question>
): Promise<Received> {
  const { path, body } = question(client, model, isStream, isArray);
  const response = await fetch(`${proxyUrl}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  const { status, headers } = response;
  let text = "";
  try {
    for await (const piece of response.body ?? []) text += Buffer.from(piece).toString("latin1");
    return { status, headers, text, isBroken: false };
  } catch {
    return { status, headers, text, isBroken: true };
  }
}

/** Returns whether an error has the format of the dialect. */
export const isEnvelope: Record<ClientDialect, (value: Record<string, Record<string, unknown>>) => boolean> =
  {
    "chat-completions": (value) => typeof value["error"]?.["message"] === "string",
    responses: (value) => typeof value["error"]?.["message"] === "string",
    messages: (value) => String(value["type"]) === "error" && typeof value["error"]?.["type"] === "string",
    "generative-language": (value) => typeof value["error"]?.["status"] === "string",
  };
