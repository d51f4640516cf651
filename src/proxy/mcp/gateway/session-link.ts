import { setTimeout as delay } from "node:timers/promises";
import {
  type Exchanged,
  invalid,
  JSON_AND_EVENTS,
  readEvents,
  readExchange,
  type SendHttp,
  statusError,
} from "./http-exchange.ts";
import { createNotification, createRequest, type RpcMessage, type RpcResponse } from "./json-rpc.ts";
import {
  type LinkRequest,
  type McpLink,
  readServerFacts,
  type ServerFacts,
  type ServerMessage,
} from "./link.ts";
import { type ClientFacts, LATEST_SESSION, STATELESS, withoutClientMeta } from "./revisions.ts";
import { keepOpen, type StreamEnd } from "./wait.ts";

/** Times that an interrupted event stream is continued, and the wait before each. */
const RESUMPTIONS = 5;
const RESUME_MS = 500;

/** Thrown if a server rejects `initialize`: it has no sessions, or it is not an MCP server. */
export class NoSession extends Error {
  constructor(readonly exchanged: Exchanged) {
    super("The server rejected initialize");
  }
}

/** A session with a server over HTTP, as revisions until 2025-11-25 define it. */
export class SessionLink implements McpLink {
  facts: ServerFacts = { capabilities: {}, instructions: undefined, isStateless: false };
  private serial = 0;
  private sessionId: string | undefined;
  private version: string = LATEST_SESSION;
  private isClosed = false;
  private readonly closing = new AbortController();
  private reopening: Promise<void> | undefined;

  private constructor(
    private readonly server: string,
    private readonly http: SendHttp,
    private readonly client: ClientFacts,
  ) {}

  /** Opens a session. Throws `NoSession` if the server rejects `initialize`. */
  static async open(
    server: string,
    http: SendHttp,
    client: ClientFacts,
    signal: AbortSignal,
  ): Promise<SessionLink> {
    const link = new SessionLink(server, http, client);
    await link.initialize(signal);
    return link;
  }

  async request(request: LinkRequest): Promise<RpcResponse> {
    const session = this.sessionId;
    const first = await this.post(request);
    // The server has ended the session, for example by a restart.
    if (first.status === 404 && session !== undefined) {
      await this.reopen(session, request.signal);
      return this.expectResponse(await this.post(request));
    }
    return this.expectResponse(first);
  }

  async send(message: RpcMessage): Promise<void> {
    const exchanged = await this.exchange(message, undefined, this.closing.signal, () => {});
    if (exchanged.status >= 400) throw statusError(this.server, exchanged.status);
  }

  listen(onMessage: (message: ServerMessage) => void): () => void {
    const stopping = new AbortController();
    const signal = AbortSignal.any([stopping.signal, this.closing.signal]);
    void keepOpen(() => this.readOwnStream(onMessage, signal), signal);
    return () => stopping.abort();
  }

  /** Does nothing: when the server has ended a session, the next request opens another one. */
  onEnd(): void {}

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.closing.abort();
    if (this.sessionId === undefined) return;
    const signal = AbortSignal.timeout(2_000);
    const received = await this.http({ method: "DELETE", headers: this.headers(), body: null, signal });
    for await (const _chunk of received.body);
  }

  private async initialize(signal: AbortSignal): Promise<void> {
    const { version, capabilities, info: clientInfo } = this.client;
    const protocolVersion = version === STATELESS ? LATEST_SESSION : version;
    const params = { protocolVersion, capabilities, clientInfo };
    this.sessionId = undefined;
    const id = this.nextId();
    const exchanged = await this.exchange(createRequest(id, "initialize", params), id, signal, () => {});
    const { result } = exchanged.response ?? {};
    if (result === undefined) throw new NoSession(exchanged);
    const { "mcp-session-id": session } = exchanged.headers;
    this.sessionId = session?.toString();
    if (typeof result["protocolVersion"] === "string") this.version = result["protocolVersion"];
    this.facts = readServerFacts(result, { isStateless: false });
    await this.send(createNotification("notifications/initialized"));
  }

  /** Replaces a session that the server has ended, once for all requests that need it. */
  private async reopen(ended: string, signal: AbortSignal): Promise<void> {
    if (this.sessionId === ended)
      this.reopening ??= this.initialize(signal).finally(() => {
        this.reopening = undefined;
      });
    await this.reopening;
  }

  private async post(request: LinkRequest): Promise<Exchanged> {
    const { method, params, signal, onMessage, headers, traceparent } = request;
    const id = this.nextId();
    const message = createRequest(id, method, withoutClientMeta(params));
    const cancel = () =>
      void this.send(createNotification("notifications/cancelled", { requestId: id })).catch(() => {});
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const extra = [...(headers ?? []), ...(traceparent ? [["traceparent", traceparent] as const] : [])];
      const exchanged = await this.exchange(message, id, signal, onMessage, extra);
      const { lastEventId } = exchanged;
      return lastEventId === undefined ? exchanged : await this.resume(exchanged, lastEventId, id, request);
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  /** Continues an event stream that ended before its response. */
  private async resume(
    exchanged: Exchanged,
    last: string,
    id: number,
    { signal, onMessage }: LinkRequest,
  ): Promise<Exchanged> {
    let lastEventId = last;
    for (let attempt = 0; attempt < RESUMPTIONS; attempt += 1) {
      await delay(RESUME_MS, undefined, { signal });
      const received = await this.http({
        method: "GET",
        headers: [...this.headers(), ["accept", "text/event-stream"], ["last-event-id", lastEventId]],
        body: null,
        signal,
      });
      if (received.status !== 200) break;
      const events = await readEvents(received, id, onMessage);
      if (events.response !== undefined) return { ...exchanged, response: events.response };
      lastEventId = events.lastEventId ?? lastEventId;
    }
    return exchanged;
  }

  private async exchange(
    message: RpcMessage,
    id: number | undefined,
    signal: AbortSignal,
    onMessage: (message: ServerMessage) => void,
    extra: readonly (readonly [string, string])[] = [],
  ): Promise<Exchanged> {
    const received = await this.http({
      method: "POST",
      headers: [
        ...this.headers(),
        ["content-type", "application/json"],
        ["accept", JSON_AND_EVENTS],
        ...extra,
      ],
      body: JSON.stringify(message),
      signal,
    });
    return readExchange(this.server, received, id, onMessage);
  }

  private expectResponse({ status, response }: Exchanged): RpcResponse {
    if (response !== undefined && (status < 400 || response.error !== undefined)) return response;
    if (status >= 400) throw statusError(this.server, status);
    throw invalid(this.server, "ended its response before the result");
  }

  /** Reads the server's own event stream until it ends. */
  private async readOwnStream(
    onMessage: (message: ServerMessage) => void,
    signal: AbortSignal,
  ): Promise<StreamEnd> {
    const headers = [...this.headers(), ["accept", "text/event-stream"] as const];
    const received = await this.http({ method: "GET", headers, body: null, signal });
    // Most servers have no such stream.
    if (received.status === 405 || received.status === 404) return "unavailable";
    if (received.status !== 200) return "failed";
    await readEvents(received, undefined, onMessage);
    return "ended";
  }

  private headers(): [string, string][] {
    const headers: [string, string][] = [];
    if (this.sessionId !== undefined)
      headers.push(["mcp-session-id", this.sessionId], ["mcp-protocol-version", this.version]);
    else if (this.serial > 1) headers.push(["mcp-protocol-version", this.version]);
    return headers;
  }

  private nextId(): number {
    this.serial += 1;
    return this.serial;
  }
}
