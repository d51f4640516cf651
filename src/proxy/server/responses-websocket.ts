import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { text as readText } from "node:stream/consumers";
import { type WebSocket, WebSocketServer } from "ws";
import { AppError } from "../../errors.ts";
import { createSseParser } from "../../sse/parse.ts";
import { BodyShare } from "../body/body-memory.ts";
import { createBlankResponse } from "../dialects/responses/blank-response.ts";
import { LAST_EVENTS } from "../dialects/responses/profile.ts";
import { readErrorBody } from "../dialects/responses/read-error-body.ts";
import { isObject, parseJson, stringifyJson } from "../exchange/json.ts";
import { callAgain } from "../pipeline/call-again.ts";
import { parseBounded } from "../pipeline/call-body.ts";
import type { Services } from "../services.ts";
import { keepOpen } from "./keep-open.ts";
import { type Turn, TurnError, Turns } from "./responses-turns.ts";

type Members = Readonly<Record<string, unknown>>;

/** Maximum number of messages that wait for the running response. A client that sends more is disconnected. */
const MAX_WAITING = 16;
/** Maximum bytes that wait for a slow client before the upstream is slowed down. */
const MAX_UNREAD = 1024 * 1024;

/** Serves the Responses API over WebSockets and tracks the open connections of one proxy. */
export class ResponsesWebSockets {
  private readonly connections = new Set<Connection>();

  constructor(private readonly services: Services) {}

  /** Accepts an upgrade request that has passed admission. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { body } = this.services.runtime().config.limits;
    const server = new WebSocketServer({ noServer: true, maxPayload: body, perMessageDeflate: false });
    server.handleUpgrade(request, socket, head, (client) => {
      const connection = new Connection(client, request, this.services);
      this.connections.add(connection);
      client.once("close", () => this.connections.delete(connection));
    });
  }

  /** Closes idle connections immediately, and each other connection after its running response. */
  drain(): void {
    for (const connection of this.connections) connection.drain();
  }

  /** Closes all connections immediately. */
  stop(): void {
    for (const connection of this.connections) connection.stop();
  }
}

/** The connection of one client. Its responses are created one after another. */
class Connection {
  private readonly turns = new Turns();
  private readonly waiting: Buffer[] = [];
  /** Counts the memory of the waiting messages. */
  private readonly share: BodyShare;
  private running: AbortController | undefined;
  private isDraining = false;

  constructor(
    private readonly client: WebSocket,
    private readonly request: IncomingMessage,
    private readonly services: Services,
  ) {
    this.share = new BodyShare(services.memory);
    keepOpen(client, services.runtime().config.pingMs, () => client.ping());
    // `data` is a Buffer, because `binaryType` has its default value.
    client.on("message", (data, isBinary) => this.take(isBinary ? Buffer.alloc(0) : (data as Buffer)));
    client.on("error", () => client.terminate());
    client.once("close", () => {
      this.waiting.length = 0;
      this.share.release();
      this.running?.abort();
    });
  }

  drain(): void {
    this.isDraining = true;
    if (this.running === undefined) this.client.close(RESTARTING, "The proxy is stopping");
  }

  stop(): void {
    this.client.close(RESTARTING, "The proxy is stopping");
    this.client.terminate();
  }

  private take(bytes: Buffer): void {
    if (this.waiting.length >= MAX_WAITING) {
      this.client.close(POLICY_VIOLATION, `More than ${MAX_WAITING} events are waiting`);
      return;
    }
    const { inFlight } = this.services.runtime().config.limits;
    if (this.running !== undefined && !this.share.take(bytes.length, inFlight)) {
      this.client.close(TRY_AGAIN_LATER, "The memory for request bodies is full");
      return;
    }
    this.waiting.push(bytes);
    if (this.running === undefined) void this.run();
  }

  private async run(): Promise<void> {
    while (!this.isDraining) {
      const bytes = this.waiting.shift();
      if (bytes === undefined) return;
      // The call that the message requests counts its own memory.
      this.share.settle(this.waiting.reduce((sum, { length }) => sum + length, 0));
      this.running = new AbortController();
      await this.respond(bytes, this.running.signal);
      this.running = undefined;
    }
    this.drain();
  }

  /** Serves one event of the client. Errors are sent to the client as events. */
  private async respond(bytes: Buffer, signal: AbortSignal): Promise<void> {
    let turn: Turn | undefined;
    try {
      turn = this.turns.begin(await readEvent(bytes));
      if (turn.isWarmUp) await this.warmUp(turn);
      else await this.generate(turn, signal);
    } catch (error) {
      this.turns.forget(turn?.continued);
      if (signal.aborted) return;
      const known =
        error instanceof TurnError ? error : new TurnError(502, "server_error", "The response was cut off.");
      await this.send(errorEvent(known.status, known));
    }
  }

  private async generate(turn: Turn, signal: AbortSignal): Promise<void> {
    const { request } = this;
    const body = { ...turn.body, stream: true };
    const response = await callAgain(this.services, { request, body, path: request.url, signal });
    const status = response.statusCode ?? 500;
    if (status >= 400) {
      const seconds = Number(response.headers["retry-after"]);
      throw toTurnError(status, await readText(response), seconds);
    }
    const parser = createSseParser();
    let isEnded = false;
    for await (const chunk of response) {
      for (const { data } of parser.push(chunk as Buffer)) {
        if (data === "[DONE]" || isEnded) continue;
        isEnded = await this.relay(data, turn);
      }
    }
    if (!isEnded) throw new TurnError(502, "server_error", "The response ended without its last event.");
  }

  /** Sends an event to the client. Returns whether it ends the response. */
  private async relay(data: string, turn: Turn): Promise<boolean> {
    // Only events with a response or an error are changed; all others are forwarded unchanged.
    if (!/"response"\s*:\s*\{|"type"\s*:\s*"error"/.test(data)) {
      await this.send(data);
      return false;
    }
    const event = parseJson(data);
    if (!isObject(event)) return false;
    if (event["type"] === "error") {
      this.turns.forget(turn.continued);
      const { error } = event;
      const members = isObject(error) ? error : event;
      await this.send(errorEvent(502, members));
      return true;
    }
    const { response } = event;
    if (!isObject(response)) {
      await this.send(data);
      return false;
    }
    const shown =
      turn.continued === undefined ? response : { ...response, previous_response_id: turn.continued };
    const isLast = LAST_EVENTS.has(String(event["type"]));
    if (isLast) this.finish(turn, response);
    await this.send(stringifyJson({ ...event, response: shown }));
    return isLast;
  }

  private finish(turn: Turn, response: Members): void {
    const { id, output, status } = response;
    if (status === "failed") this.turns.forget(turn.continued);
    else this.turns.keep(String(id), turn, Array.isArray(output) ? output : []);
  }

  /** Responds to `generate: false`. No model is called, but the client can continue the response. */
  private async warmUp(turn: Turn): Promise<void> {
    const id = `resp_${randomBytes(24).toString("hex")}`;
    const members = { ...turn.body, previous_response_id: turn.continued };
    const response = createBlankResponse(members, id, "in_progress");
    this.turns.keep(id, turn, []);
    const events = ["response.created", "response.in_progress", "response.completed"];
    for (const [sequence_number, type] of events.entries()) {
      const isLast = type === "response.completed";
      const last = { status: "completed", completed_at: response.created_at, usage: NO_USAGE };
      const shown = isLast ? { ...response, ...last } : response;
      await this.send(stringifyJson({ type, sequence_number, response: shown }));
    }
  }

  private send(text: string): Promise<void> | undefined {
    const { client } = this;
    if (client.readyState !== client.OPEN) return undefined;
    if (client.bufferedAmount < MAX_UNREAD) {
      client.send(text);
      return undefined;
    }
    return new Promise((resolve) => client.send(text, () => resolve()));
  }
}

/**
 * Parses an event. Throws `TurnError` if the event is not a JSON object, or exceeds the bounds of request bodies, which
 * are checked before parsing.
 */
async function readEvent(bytes: Buffer): Promise<Members> {
  try {
    const event = await parseBounded(bytes);
    if (isObject(event)) return event;
  } catch (error) {
    if (error instanceof AppError && error.code === "too_large")
      throw new TurnError(413, error.code, error.message);
    // The error below also covers text that is not JSON or is nested too deeply.
  }
  throw new TurnError(400, "invalid_json", "Each message must be a JSON object.");
}

const NO_USAGE = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};

/** Close codes. https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1, https://www.iana.org/assignments/websocket */
const RESTARTING = 1012;
const POLICY_VIOLATION = 1008;
const TRY_AGAIN_LATER = 1013;

function toTurnError(status: number, text: string, retryAfterSeconds: number): TurnError {
  const { code, message = `The call failed with status ${status}.`, param } = readErrorBody(text);
  const wait = Number.isFinite(retryAfterSeconds) ? ` Retry after ${retryAfterSeconds} s.` : "";
  return new TurnError(status, code, `${message}${wait}`, param);
}

/** Returns an error as an event of OpenAI's WebSocket mode. */
function errorEvent(
  status: number,
  error: { readonly [Name in "code" | "message" | "param"]?: unknown },
): string {
  const { code, message, param } = error;
  return JSON.stringify({
    type: "error",
    status,
    error: {
      type: status < 500 ? "invalid_request_error" : "server_error",
      code: String(code ?? "server_error"),
      message: String(message ?? "The response failed."),
      param: param ?? null,
    },
  });
}
