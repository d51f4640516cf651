import type { ProxyConfig, ProxyKey } from "../../../config/proxy/config.ts";
import { AppError } from "../../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { sendTo } from "../../upstream/clients.ts";
import type { Pools } from "../../upstream/pools.ts";
import { requestHeaders } from "../../upstream/request-headers.ts";
import { asUpstream, getPathBelow, type HttpServer, isHttpServer } from "../as-upstream.ts";
import type { McpTokens } from "../oauth/mcp-tokens.ts";
import { type GatewayServer, isSameServer } from "./access.ts";
import { type HttpRequest, type SendHttp, statusError } from "./http-exchange.ts";
import type { McpLink } from "./link.ts";
import { McpSession, type SessionHost } from "./mcp-session.ts";
import { ProgramServer } from "./program.ts";
import { type ClientFacts, LATEST_SESSION, STATELESS } from "./revisions.ts";
import { NoSession, SessionLink } from "./session-link.ts";
import { StatelessLink } from "./stateless-link.ts";
import { EventMemory } from "./stream-record.ts";
import { TaskOwners } from "./tasks.ts";

export interface HubParts {
  readonly runtime: () => Runtime;
  readonly pools: Pools;
  readonly instanceId: string;
  readonly version: string;
  /** Writes a line to the proxy's messages. */
  readonly note: (line: string) => void;
  readonly tokens: McpTokens;
}

/**
 * Milliseconds without a request after which a session is closed, unless a request is running or a stream is open. A
 * client that returns receives new connections.
 */
const IDLE_MS = 30 * 60_000;
const SWEEP_MS = 60_000;
const MAX_SESSIONS = 1_000;

/** Manages the sessions and the programs of the MCP gateway. */
export class McpHub implements SessionHost {
  readonly slow = new Set<string>();
  readonly events = new EventMemory();
  readonly owners = new TaskOwners();
  private readonly sessions = new Map<string, McpSession>();
  /** Sessions that clients have ended. */
  private readonly ended = new Set<string>();
  private readonly programs = new Map<string, { readonly text: string; readonly server: ProgramServer }>();
  /** The configuration of the servers, as JSON. */
  private servers: string;
  private readonly sweeper: NodeJS.Timeout;
  private readonly onExit = () => {
    for (const { server } of this.programs.values()) server.kill();
  };

  constructor(private readonly parts: HubParts) {
    this.servers = JSON.stringify([...parts.runtime().config.mcp]);
    this.sweeper = setInterval(() => this.sweep(), SWEEP_MS);
    this.sweeper.unref();
    process.on("exit", this.onExit);
  }

  /**
   * Starts the programs of a configuration, and stops those that are no longer in it or have changed. Reports changed
   * servers to clients.
   */
  apply({ mcp }: Pick<ProxyConfig, "mcp">): void {
    const servers = JSON.stringify([...mcp]);
    if (this.servers !== servers) for (const session of this.sessions.values()) session.reportChanges();
    this.servers = servers;
    const wanted = new Map(
      [...mcp].flatMap(([name, { enabled, program }]) =>
        enabled && program !== undefined ? [[name, program] as const] : [],
      ),
    );
    for (const [name, { text, server }] of this.programs) {
      const program = wanted.get(name);
      if (program !== undefined && JSON.stringify(program) === text) continue;
      this.programs.delete(name);
      void server.stop();
    }
    for (const [name, program] of wanted) {
      if (this.programs.has(name)) continue;
      const server = new ProgramServer(name, program, this.parts);
      this.programs.set(name, { text: JSON.stringify(program), server });
    }
  }

  /** Redacts the secrets of the configuration and the tokens of servers. */
  readonly redact = (text: string): string => this.parts.tokens.redact(this.parts.runtime().redact(text));

  isConfigured({ name, config }: GatewayServer): boolean {
    const known = this.parts.runtime().config.mcp.get(name);
    return known?.enabled === true && isSameServer(known, config);
  }

  listMs(): number {
    return this.parts.runtime().config.mcpGateway.listMs;
  }

  /** Creates a client's session, which `keep` stores under its id. */
  begin(client: ClientFacts): McpSession {
    return new McpSession(client, this);
  }

  keep(key: ProxyKey | undefined, id: string, session: McpSession): void {
    this.sessions.set(toSessionKey(key, id), session);
    if (this.sessions.size > MAX_SESSIONS) this.evict();
  }

  /** Returns a client's session, and creates it if it is not known; undefined if the client has ended the session. */
  session(key: ProxyKey | undefined, id: string, client: ClientFacts): McpSession | undefined {
    const whole = toSessionKey(key, id);
    if (this.ended.has(whole)) return undefined;
    const known = this.sessions.get(whole);
    const session = known ?? new McpSession(client, this);
    // Keeps the map in the order of last use.
    this.sessions.delete(whole);
    this.sessions.set(whole, session);
    session.lastUsed = performance.now();
    if (known === undefined && this.sessions.size > MAX_SESSIONS) this.evict();
    return session;
  }

  /** Returns the session that clients of a key share if they have not opened one. */
  sharedSession(key: ProxyKey | undefined, version: string): McpSession {
    const info = { name: "sallyport", version: this.parts.version };
    const kind = version === STATELESS ? STATELESS : LATEST_SESSION;
    const client = { version: kind, capabilities: {}, info };
    return this.session(key, kind, client) ?? new McpSession(client, this);
  }

  async endSession(key: ProxyKey | undefined, id: string): Promise<void> {
    const whole = toSessionKey(key, id);
    const session = this.sessions.get(whole);
    this.sessions.delete(whole);
    this.ended.add(whole);
    const [oldest] = this.ended;
    if (this.ended.size > MAX_SESSIONS && oldest !== undefined) this.ended.delete(oldest);
    await session?.close();
  }

  async open({ name, config }: GatewayServer, client: ClientFacts, signal: AbortSignal): Promise<McpLink> {
    if (isHttpServer(config)) return openHttpLink(name, this.httpFor(name, config), client, signal);
    const program = this.programs.get(name);
    if (program === undefined)
      throw new AppError("upstream_unreachable", `The MCP server ${name} is not running`);
    return program.server.link(client, signal);
  }

  async close(): Promise<void> {
    clearInterval(this.sweeper);
    const sessions = [...this.sessions.values()];
    this.sessions.clear();
    const programs = [...this.programs.values()];
    await Promise.all([
      ...sessions.map((session) => session.close()),
      ...programs.map(({ server }) => server.stop()),
    ]);
    process.off("exit", this.onExit);
  }

  /** Returns a function that sends requests to a server with its configured headers and, after a sign-in, its token. */
  private httpFor(name: string, config: HttpServer): SendHttp {
    const { pools, instanceId, version, tokens } = this.parts;
    const path = getPathBelow(config);
    const send = async (
      { method, headers, body, signal }: HttpRequest,
      authorization: string | undefined,
    ) => {
      const upstream = asUpstream(name, config, authorization);
      const own = [
        ["user-agent", `sallyport/${version}`],
        ["accept-encoding", "identity"],
        ["x-sallyport-via", instanceId],
      ] as const;
      const all = requestHeaders(upstream, undefined, [...own, ...headers]);
      return sendTo(pools, upstream, { method, path, headers: all, body, signal });
    };
    return async (request) => {
      const authorization = await tokens.authorization(name, config);
      const received = await send(request, authorization);
      if (received.status !== 401 || authorization === undefined) return received;
      for await (const _chunk of received.body);
      return send(request, await tokens.authorization(name, config, authorization));
    };
  }

  private sweep(): void {
    const limit = performance.now() - IDLE_MS;
    for (const [id, session] of this.sessions)
      if (session.isIdle && session.lastUsed < limit) this.drop(id, session);
  }

  private evict(): void {
    for (const [id, session] of this.sessions) {
      if (this.sessions.size <= MAX_SESSIONS) return;
      if (session.isIdle) this.drop(id, session);
    }
  }

  private drop(id: string, session: McpSession): void {
    this.sessions.delete(id);
    void session.close();
  }
}

/** Returns the name of a session in the hub. It contains the key, so that no other key can use the session. */
function toSessionKey(key: ProxyKey | undefined, id: string): string {
  return `${toOwner(key)}\n${id}`;
}

/** Returns the identity of a key; empty without a key. */
export function toOwner(key: ProxyKey | undefined): string {
  return key?.id ?? key?.name ?? "";
}

/**
 * Opens a connection to a server over HTTP in a revision that the server supports. Tries the client's kind of revision
 * first (with or without sessions), then the other kind.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
async function openHttpLink(
  server: string,
  http: SendHttp,
  client: ClientFacts,
  signal: AbortSignal,
): Promise<McpLink> {
  if (client.version === STATELESS) {
    const link = await StatelessLink.open(server, http, client, signal).catch(() => undefined);
    if (link !== undefined) return link;
  }
  try {
    return await SessionLink.open(server, http, client, signal);
  } catch (error) {
    if (!(error instanceof NoSession)) throw error;
    const { status, response } = error.exchanged;
    const isStateless = status === 400 || status === 404 || response?.error !== undefined;
    if (client.version !== STATELESS && isStateless && status !== 401)
      return StatelessLink.open(server, http, client, signal);
    throw statusError(server, status);
  }
}
