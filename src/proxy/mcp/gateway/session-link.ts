import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../../errors.ts";
import {
  type Exchanged,
  invalid,
  JSON_AND_EVENTS,
  readEvents,
  readExchange,
  type SendHttp,
  type StreamRest,
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
import { LIST_CHANGED } from "./names.ts";
import { type ClientFacts, LATEST_SESSION, STATELESS, withoutClientMeta } from "./revisions.ts";
import { type Repeat, repeatTask, untilAborted } from "./wait.ts";

/** Maximum number of times that a stream is continued. Servers may end streams deliberately, so that clients poll. */
const RESUMPTIONS = 10_000;
/** Consecutive failures after which a stream is no longer continued. */
const MAX_FAILURES = 5;
/** Milliseconds before a stream is continued, if the server specifies no time. */
const RESUME_MS = 500;
const MAX_RESUME_MS = 60_000;
/** Maximum milliseconds for opening another session. */
const REOPEN_LIMIT_MS = 60_000;

const IGNORE = { onMessage: () => {} };

/** Thrown if a server rejects `initialize`, for example because it has no sessions or is not an MCP server. */
export class NoSession extends Error {
  constructor(readonly exchanged: Exchanged) {
    super("The server rejected initialize");
  }
}

/** The session that last had an open stream of messages that belong to no request, and the stream's last event. */
interface OwnStream {
  session: string | undefined;
  lastEventId: string | undefined;
}

/** A session with a server over HTTP, as revisions up to 2025-11-25 define it. */
export class SessionLink implements McpLink {
  facts: ServerFacts = { capabilities: {}, instructions: undefined, isStateless: false };
  private serial = 0;
  private sessionId: string | undefined;
  private version: string = LATEST_SESSION;
  private isClosed = false;
  private readonly closing = new AbortController();
  private reopening: Promise<void> | undefined;
  private readonly listeners = new Set<(message: ServerMessage) => void>();
  private reopened = () => {};

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
    if (this.reopening !== undefined) await untilAborted(this.reopening, request.signal);
    const session = this.sessionId;
    let exchanged = await this.post(request);
    // The server has ended the session, for example by a restart.
    if (exchanged.status === 404 && session !== undefined && request.isRestored !== true) {
      await this.reopen(session);
      exchanged = await this.post(request);
    }
    return this.expectResponse(exchanged);
  }

  async send(message: RpcMessage): Promise<void> {
    const exchanged = await this.exchange(message, undefined, this.closing.signal, IGNORE);
    if (exchanged.status >= 400) throw statusError(this.server, exchanged.status);
  }

  listen(onMessage: (message: ServerMessage) => void): () => void {
    const stopping = new AbortController();
    const signal = AbortSignal.any([stopping.signal, this.closing.signal]);
    const progress: OwnStream = { session: undefined, lastEventId: undefined };
    this.listeners.add(onMessage);
    void repeatTask(() => this.readOwnStream(progress, onMessage, signal), signal);
    return () => {
      this.listeners.delete(onMessage);
      stopping.abort();
    };
  }

  /** Does nothing, because the next request opens another session when the server has ended one. */
  onEnd(): void {}

  onReopened(listener: () => void): void {
    this.reopened = listener;
  }

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
    const exchanged = await this.exchange(createRequest(id, "initialize", params), id, signal, IGNORE);
    const { result } = exchanged.response ?? {};
    if (result === undefined) throw new NoSession(exchanged);
    const { "mcp-session-id": session } = exchanged.headers;
    this.sessionId = session?.toString();
    if (typeof result["protocolVersion"] === "string") this.version = result["protocolVersion"];
    this.facts = readServerFacts(result, { isStateless: false });
    await this.send(createNotification("notifications/initialized"));
  }

  /** Replaces a session that the server has ended, once for all requests of the session. */
  private async reopen(ended: string): Promise<void> {
    if (this.sessionId === ended)
      this.reopening ??= this.begin().finally(() => {
        this.reopening = undefined;
      });
    await this.reopening;
  }

  private async begin(): Promise<void> {
    const ended = this.sessionId;
    const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(REOPEN_LIMIT_MS)]);
    try {
      await this.initialize(signal);
    } catch (error) {
      // The next request tries again, because the server rejects the ended session again.
      this.sessionId = ended;
      throw error instanceof NoSession ? statusError(this.server, error.exchanged.status) : error;
    }
    this.reopened();
    // The lists of a server that was restarted may differ.
    for (const listener of this.listeners)
      for (const method of LIST_CHANGED) listener(createNotification(method));
  }

  private async post(request: LinkRequest): Promise<Exchanged> {
    const { method, params, signal, headers, traceparent } = request;
    const id = this.nextId();
    const message = createRequest(id, method, withoutClientMeta(params));
    const cancel = () =>
      void this.send(createNotification("notifications/cancelled", { requestId: id })).catch(() => {});
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const extra = [...(headers ?? []), ...(traceparent ? [["traceparent", traceparent] as const] : [])];
      const exchanged = await this.exchange(message, id, signal, request, extra);
      const { rest } = exchanged;
      return rest === undefined ? exchanged : await this.resume(exchanged, rest, id, request);
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  /** Continues an event stream that ended before its response. */
  private async resume(
    exchanged: Exchanged,
    from: StreamRest,
    id: number,
    { signal, onMessage }: LinkRequest,
  ): Promise<Exchanged> {
    let rest = from;
    let failures = 0;
    for (let count = 0; count < RESUMPTIONS && failures < MAX_FAILURES; count += 1) {
      await delay(Math.min(rest.retryMs ?? RESUME_MS, MAX_RESUME_MS), undefined, { signal });
      const received = await this.openEvents(rest.lastEventId, signal).catch((error: unknown) => {
        if (!(error instanceof AppError) || signal.aborted) throw error;
        return undefined;
      });
      if (received !== undefined && received.status !== 200) break;
      if (received === undefined) {
        failures += 1;
        continue;
      }
      failures = 0;
      const events = await readEvents(received, id, onMessage);
      if (events.response !== undefined) return { ...exchanged, response: events.response };
      rest = { ...rest, ...events.rest };
    }
    return exchanged;
  }

  private openEvents(lastEventId: string | undefined, signal: AbortSignal) {
    const headers = [...this.headers(), ["accept", "text/event-stream"] as const];
    const last = lastEventId === undefined ? [] : [["last-event-id", lastEventId] as const];
    return this.http({ method: "GET", headers: [...headers, ...last], body: null, signal });
  }

  private async exchange(
    message: RpcMessage,
    id: number | undefined,
    signal: AbortSignal,
    receiver: Pick<LinkRequest, "onMessage" | "onStream">,
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
    return readExchange(this.server, received, id, receiver);
  }

  private expectResponse({ status, response }: Exchanged): RpcResponse {
    if (response !== undefined && (status < 400 || response.error !== undefined)) return response;
    if (status >= 400) throw statusError(this.server, status);
    throw invalid(this.server, "ended its response before the result");
  }

  /**
   * Reads the stream of the server's messages that belong to no request, until the stream ends. Opens another session
   * if the server has ended this one.
   */
  private async readOwnStream(
    known: OwnStream,
    onMessage: (message: ServerMessage) => void,
    signal: AbortSignal,
  ): Promise<Repeat> {
    await this.reopening?.catch(() => {});
    const { sessionId } = this;
    const received = await this.openEvents(
      sessionId === known.session ? known.lastEventId : undefined,
      signal,
    );
    if (received.status === 200) {
      known.session = sessionId;
      const { rest } = await readEvents(received, undefined, onMessage).catch((error: unknown) => {
        if (error instanceof AppError) return { rest: undefined };
        throw error;
      });
      known.lastEventId = rest?.lastEventId ?? known.lastEventId;
      return "soon";
    }
    for await (const _chunk of received.body);
    const hasEnded = received.status === 404 && known.session !== undefined && sessionId !== undefined;
    // Most servers have no such stream.
    if (!hasEnded) return received.status === 405 || received.status === 404 ? "never" : "later";
    known.session = undefined;
    const isReopened = await this.reopen(sessionId).then(
      () => true,
      () => false,
    );
    return isReopened ? this.readOwnStream(known, onMessage, signal) : "later";
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
