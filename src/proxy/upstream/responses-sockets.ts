import { type Dispatcher, WebSocket } from "undici";
import type { UpstreamConfig } from "../../config/proxy/config.ts";
import { serializeEvent } from "../../sse/serialize.ts";
import { LAST_EVENTS } from "../dialects/responses/profile.ts";
import { isObject, type Json, stringifyJson, tryParseExactJson, tryParseJson } from "../exchange/json.ts";
import { parseBaseUrl } from "./clients.ts";
import { TurnController } from "./turn-controller.ts";

/** Milliseconds for which calls use HTTP after a WebSocket could not be opened. */
const HTTP_MS = 60_000;
/** Milliseconds after which an unused connection is closed. */
const IDLE_MS = 50_000;
/** Milliseconds after which a connection is not used again, because vendors close connections after an hour. */
const MAX_AGE_MS = 50 * 60_000;
/** Maximum number of open connections to all upstreams; further calls use HTTP. */
const MAX_CONNECTIONS = 64;

/** Matches headers that describe a single request. They are not sent when a connection is opened. */
const OF_REQUEST =
  /^(?:content-|accept|host$|connection$|traceparent$|tracestate$|x-sallyport-|idempotency-key$|x-client-request-id$|x-request-id$|x-stainless-)/;

/** A call that is sent over a WebSocket. */
interface Turn {
  readonly body: Json;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly url: string;
  /** Identifies the calls that can share a connection, because they have the same URL and connection headers. */
  readonly group: string;
  readonly options: Dispatcher.DispatchOptions;
  readonly handler: Dispatcher.DispatchHandler;
  readonly sendOverHttp: () => void;
}

/**
 * Manages the WebSockets to upstreams that serve the Responses API over WebSockets. A streamed call without
 * `background: true` uses an idle connection, preferably that of its previous response. If none is idle, the call opens
 * a connection, unless too many are open or opening one has just failed. All other calls are sent over HTTP.
 * https://developers.openai.com/api/docs/guides/websocket-mode
 */
export class ResponsesSockets {
  private readonly connections = new Set<Connection>();
  /** The `performance.now()` until which calls use HTTP, by the upstream's base URL. */
  private readonly overHttp = new Map<string, number>();

  /** Sends a request over a WebSocket if possible, or else over HTTP through `pool`. */
  dispatch(
    pool: Dispatcher,
    { baseUrl, timeouts }: UpstreamConfig,
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const { origin } = parseBaseUrl(baseUrl);
    const body = readTurn(options);
    const isBroken = (this.overHttp.get(baseUrl) ?? 0) > performance.now();
    if (body === undefined || isBroken) return pool.dispatch(options, handler);
    const headers = toConnectionHeaders(options.headers as readonly string[]);
    const url = `${origin.replace(/^http/, "ws")}${options.path}`;
    const turn: Turn = {
      body,
      headers,
      url,
      group: JSON.stringify([url, headers]),
      options,
      handler,
      sendOverHttp: () => void pool.dispatch(options, handler),
    };
    const idle = this.findIdle(turn.group, body["previous_response_id"]);
    if (idle !== undefined) {
      // An idle connection that has broken in the meantime is replaced.
      idle.begin(turn, () => this.open(pool, baseUrl, timeouts.connectMs, turn));
      return true;
    }
    this.open(pool, baseUrl, timeouts.connectMs, turn);
    return true;
  }

  close(): void {
    for (const connection of this.connections) connection.close();
    this.connections.clear();
  }

  private findIdle(group: string, previous: unknown): Connection | undefined {
    const idle = [...this.connections].filter((each) => each.isIdle && each.group === group);
    return idle.find(({ lastResponse }) => lastResponse === previous) ?? idle[0];
  }

  private open(pool: Dispatcher, baseUrl: string, connectMs: number, turn: Turn): void {
    if (this.connections.size >= MAX_CONNECTIONS) {
      turn.sendOverHttp();
      return;
    }
    const connection = new Connection(turn, pool, connectMs, (ended) => void this.connections.delete(ended));
    this.connections.add(connection);
    connection.begin(turn, (hasOpened) => {
      if (!hasOpened) this.overHttp.set(baseUrl, performance.now() + HTTP_MS);
      turn.sendOverHttp();
    });
  }
}

/** One WebSocket, which creates one response at a time. */
class Connection {
  readonly group: string;
  /** The id of the last response, which the vendor keeps for this connection. */
  lastResponse: unknown;
  private readonly socket: WebSocket;
  private readonly openedAt = performance.now();
  private hasOpened = false;
  private isClosed = false;
  private current: TurnController | undefined;
  private connecting: NodeJS.Timeout | undefined;
  private idle: NodeJS.Timeout | undefined;

  constructor(
    { url, headers, group }: Turn,
    dispatcher: Dispatcher,
    connectMs: number,
    private readonly onEnd: (connection: Connection) => void,
  ) {
    this.group = group;
    this.socket = new WebSocket(url, { dispatcher, headers: Object.fromEntries(headers) });
    if (connectMs > 0) this.connecting = setTimeout(() => this.end(), connectMs);
    this.socket.addEventListener("open", () => {
      clearTimeout(this.connecting);
      this.hasOpened = true;
      this.current?.start();
    });
    this.socket.addEventListener("message", ({ data }) => this.take(String(data)));
    this.socket.addEventListener("error", () => this.end());
    this.socket.addEventListener("close", () => this.end());
  }

  get isIdle(): boolean {
    const isYoung = performance.now() - this.openedAt < MAX_AGE_MS;
    return this.hasOpened && !this.isClosed && this.current === undefined && isYoung;
  }

  /** Creates a response. `resend` is called if the connection ends before the response's first event. */
  begin(turn: Turn, resend: (hasOpened: boolean) => void): void {
    clearTimeout(this.idle);
    const { stream: _, stream_options: __, ...members } = turn.body;
    this.current = new TurnController(turn.options, turn.handler, {
      send: () => this.socket.send(stringifyJson({ type: "response.create", ...members })),
      resend: () => resend(this.hasOpened),
      // A response can be canceled only by closing the connection.
      abandon: () => this.end(),
    });
    if (this.hasOpened) this.current.start();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.connecting);
    clearTimeout(this.idle);
    this.socket.close();
  }

  private take(data: string): void {
    const turn = this.current;
    if (turn === undefined) return;
    const event = parseEvent(data);
    const type = String(event?.["type"]);
    if (type === "error") {
      if (isOfConnection(event)) {
        this.end();
        return;
      }
      this.current = undefined;
      turn.reject(event ?? {});
      this.becomeIdle();
      return;
    }
    turn.push(Buffer.from(serializeEvent(data, type)));
    if (!LAST_EVENTS.has(type)) return;
    const { response } = event ?? {};
    this.lastResponse = isObject(response) ? response["id"] : undefined;
    this.current = undefined;
    turn.end();
    this.becomeIdle();
  }

  private becomeIdle(): void {
    this.idle = setTimeout(() => this.end(), IDLE_MS);
    this.idle.unref();
  }

  private end(): void {
    if (this.isClosed) return;
    this.close();
    this.onEnd(this);
    const turn = this.current;
    this.current = undefined;
    turn?.cut();
  }
}

/** Returns the body of a call that can be sent over a WebSocket; undefined for any other call. */
function readTurn({ method, path, body }: Dispatcher.DispatchOptions): Json | undefined {
  if (method !== "POST" || !/\/responses(?:\?|$)/.test(path)) return undefined;
  if (!Buffer.isBuffer(body) && typeof body !== "string") return undefined;
  const members = tryParseExactJson(body.toString());
  const isTurn = isObject(members) && members["stream"] === true && members["background"] !== true;
  return isTurn ? members : undefined;
}

/** Returns whether an error event means that the vendor takes no more requests over this connection. */
function isOfConnection(event: Json | undefined): boolean {
  const { error } = event ?? {};
  return isObject(error) && error["code"] === "websocket_connection_limit_reached";
}

function parseEvent(text: string): Json | undefined {
  const value = tryParseJson(text);
  return isObject(value) ? value : undefined;
}

function toConnectionHeaders(list: readonly string[]): [name: string, value: string][] {
  const headers: [string, string][] = [];
  for (let index = 0; index + 1 < list.length; index += 2) {
    const name = (list[index] ?? "").toLowerCase();
    if (!OF_REQUEST.test(name)) headers.push([name, list[index + 1] ?? ""]);
  }
  return headers;
}
