import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "../../../errors.ts";
import { findExcess, nextTurn } from "../../../json/bounds.ts";
import { createSseParser } from "../../../sse/parse.ts";
import { readUpTo, readWhole } from "../../body/read-whole.ts";
import { tryParseJson } from "../../exchange/json.ts";
import type { ReceivedResponse } from "../../upstream/send.ts";
import {
  isNotification,
  isRequest,
  MESSAGE_BOUNDS,
  parseRpc,
  type RpcId,
  type RpcMessage,
  type RpcResponse,
} from "./json-rpc.ts";
import type { LinkRequest, ServerMessage } from "./link.ts";

/** A request to an MCP server over HTTP. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | null;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request with the server's credentials. Rejects with an `AppError`. */
export type SendHttp = (request: HttpRequest) => Promise<ReceivedResponse>;

/** The response to a posted message. */
export interface Exchanged {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The response with the request's id, or the JSON-RPC error of an error status; undefined if there is neither. */
  readonly response: RpcResponse | undefined;
  /** The position at which an event stream ended before the response; undefined if it cannot be continued. */
  readonly rest: StreamRest | undefined;
}

/** The position at which an event stream ended. */
export interface StreamRest {
  readonly lastEventId: string;
  /** Milliseconds that the server requires before the stream is continued. */
  readonly retryMs: number | undefined;
}

interface ReadEvents {
  readonly response: RpcResponse | undefined;
  readonly rest: StreamRest | undefined;
}

const MAX_BODY = 64 * 1024 * 1024;
const MAX_ERROR = 64 * 1024;
/** Maximum characters of one event, which may contain an image. */
const MAX_EVENT = 64 * 1024 * 1024;
export const JSON_AND_EVENTS = "application/json, text/event-stream";

/** Reads the response to a message: JSON, an event stream, or nothing. */
export async function readExchange(
  server: string,
  received: ReceivedResponse,
  id: RpcId | undefined,
  { onMessage, onStream }: Pick<LinkRequest, "onMessage" | "onStream">,
): Promise<Exchanged> {
  const { status, headers, body } = received;
  const type = headers["content-type"] ?? "";
  if (status >= 400) {
    const text = (await readUpTo(body, MAX_ERROR)).toString();
    const response = await findResponse(tryParseJson(text), undefined);
    return { status, headers, response, rest: undefined };
  }
  if (/^text\/event-stream\b/i.test(type)) {
    onStream?.();
    return { status, headers, ...(await readEvents(received, id, onMessage)) };
  }
  const bytes = await readWhole(body, MAX_BODY);
  if (bytes === undefined)
    throw invalid(server, `returned a response of more than ${MAX_BODY / 1024 ** 2} MiB`);
  if (bytes.length === 0) return { status, headers, response: undefined, rest: undefined };
  if (await findExcess(bytes, MESSAGE_BOUNDS))
    throw invalid(server, "returned a response with too many values");
  const response = await findResponse(tryParseJson(bytes.toString("utf8")), id);
  if (response === undefined && id !== undefined) throw invalid(server, "returned no JSON-RPC response");
  return { status, headers, response, rest: undefined };
}

/**
 * Reads events until the response with this id, or until the stream ends. Rejects if an event is too long or has too
 * many values, or if the stream breaks and cannot be continued. Ignores data that is not a JSON-RPC message.
 */
export async function readEvents(
  { body }: ReceivedResponse,
  id: RpcId | undefined,
  onMessage: (message: ServerMessage) => void,
): Promise<ReadEvents> {
  const parser = createSseParser(MAX_EVENT);
  try {
    for await (const chunk of body) {
      for (const { data } of parser.push(chunk)) {
        if (data === "") continue;
        if (await findExcess(Buffer.from(data), MESSAGE_BOUNDS))
          throw new AppError("upstream_invalid", "An event of an MCP server has too many values");
        for await (const message of messagesIn(tryParseJson(data))) {
          if (isRequest(message) || isNotification(message)) onMessage(message);
          else if (id !== undefined && message.id === id) return { response: message, rest: undefined };
        }
      }
    }
  } catch (error) {
    // Reconnecting would not help: the server would repeat the rejected event or continue after it.
    if (!(error instanceof AppError) || error.code === "upstream_invalid") throw error;
    if (parser.lastEventId === undefined) throw error;
  }
  const { lastEventId, retryMs } = parser;
  return { response: undefined, rest: lastEventId === undefined ? undefined : { lastEventId, retryMs } };
}

/** Returns the response in a message or a batch: the one with this id, or the first one if `id` is undefined. */
async function findResponse(value: unknown, id: RpcId | undefined): Promise<RpcResponse | undefined> {
  for await (const message of messagesIn(value)) {
    if (message.method === undefined && (id === undefined || message.id === id)) return message;
  }
  return undefined;
}

/** Messages that are validated per turn of the event loop. */
const MESSAGES_PER_TURN = 256;

/** Yields the messages of a parsed text: one message or, in revision 2025-03-26, a batch of messages. */
async function* messagesIn(value: unknown): AsyncGenerator<RpcMessage> {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (const [index, each] of values.entries()) {
    if (index % MESSAGES_PER_TURN === MESSAGES_PER_TURN - 1) await nextTurn();
    const message = parseRpc(each);
    if (message !== undefined) yield message;
  }
}

/** Creates the error for a response that does not conform to MCP. */
export function invalid(server: string, what: string): AppError {
  return new AppError("upstream_invalid", `The MCP server ${server} ${what}`);
}

/** Creates the error for a response with an error status. */
export function statusError(server: string, status: number): AppError {
  if (status === 401 || status === 403)
    return new AppError(
      "upstream_error",
      `The MCP server ${server} rejected the credentials (${status}). Check its headers in proxy.mcp.${server} or, if it has oauth, run: sallyport proxy mcp login ${server}`,
    );
  return new AppError("upstream_error", `The MCP server ${server} responded with status ${status}`);
}
