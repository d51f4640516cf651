import { executionAsyncResource } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import { createServer, Server as HttpsServer } from "node:https";
import type { FastifyInstance } from "fastify";
import type { ProxyConfig } from "../config/proxy/config.ts";
import { AppError } from "../errors.ts";
import { createApp } from "../http/app.ts";
import { sendInternally } from "../http/internal-call.ts";
import { addSecurityHeaders } from "../http/security-headers.ts";
import { addRoutes } from "./add-routes.ts";
import { createBodyMemory } from "./body/body-memory.ts";
import { type CallActivity, ownActivity } from "./dashboard/activity.ts";
import type { ConfigurationState } from "./dashboard/api-types.ts";
import { type Gateway, NO_GATEWAY } from "./gateway/gateway.ts";
import { startHeartbeat } from "./gateway/heartbeat.ts";
import type { LimitStore } from "./gateway/limits.ts";
import { createMemoryLimits } from "./gateway/limits-memory.ts";
import { createInstanceId } from "./instance-id.ts";
import { asUpstream, isHttpServer } from "./mcp/as-upstream.ts";
import { createMcpGateway, type McpGateway } from "./mcp/mcp-gateway.ts";
import type { ModelDataHost } from "./models/model-directory.ts";
import { createModelLabels } from "./models/model-labels.ts";
import { createMetrics, type MetricCounts } from "./observability/metrics.ts";
import { createRecentCalls } from "./observability/recent-calls.ts";
import type { RequestLog } from "./observability/request-log.ts";
import type { Telemetry } from "./observability/telemetry.ts";
import { createLimiter } from "./pipeline/limit-call.ts";
import { CallObserver } from "./pipeline/observe-call.ts";
import { type CooldownShare, createCooldowns } from "./routing/cooldowns.ts";
import { createKeyPolicy } from "./routing/key-policy.ts";
import { UpstreamStats } from "./routing/upstream-stats.ts";
import { createRuntime } from "./runtime.ts";
import { addAdmissionHook } from "./server/admission-hook.ts";
import { capacityFor, createConnectionLimit, createDraining, descriptorLimit } from "./server/connections.ts";
import { addProxyErrors } from "./server/error-handler.ts";
import { createFastPath } from "./server/fast-path.ts";
import { isWebSocketRequest, serveUpgrades } from "./server/upgrades.ts";
import type { Services } from "./services.ts";
import { createCallCache } from "./translate/conversations/call-memory.ts";
import type { ConversationStore } from "./translate/conversations/conversation-store.ts";
import { createStoredConversations } from "./translate/conversations/shared-conversations.ts";
import { toPoolKey } from "./upstream/clients.ts";
import { createOpenStreams } from "./upstream/open-streams.ts";
import { createPools, type PoolKey } from "./upstream/pools.ts";

/** The parts that `createProxy` does not create itself. */
export interface ProxyParts {
  readonly log: RequestLog;
  /** Called with each unexpected error; such an error is a defect of the proxy. */
  readonly onInternal: (error: unknown) => void;
  /** Writes a line for the person who runs the proxy, such as the stderr output of an MCP server's program. */
  readonly note?: ((line: string) => void) | undefined;
  /**
   * Counts usage against limits, together with other processes. If undefined, this process counts only its own usage.
   */
  readonly limits?: LimitStore | undefined;
  /** Shares cooldowns between replicas. If undefined, cooldowns apply only to this process. */
  readonly cooldownShare?: CooldownShare | undefined;
  /** Loads the built dashboard. If undefined, `/` serves the same figures without styles. */
  readonly dashboardPage?: () => Promise<string>;
  /** The database. If undefined, there are no virtual keys and no admin API. */
  readonly gateway?: Gateway | undefined;
  readonly version?: string;
  /** Starts OpenTelemetry with the id of this process. If undefined, calls are not reported to a collector. */
  readonly telemetry?: ((instanceId: string) => Telemetry) | undefined;
  /** State shared with other processes that serve the same address; undefined for a single process. */
  readonly shared?: SharedParts;
}

/** State of a proxy that several processes serve at one address. */
export interface SharedParts {
  /** The instance id of all these processes. */
  readonly instanceId: string;
  readonly conversations: ConversationStore;
  /** Returns the sum of the counts of all processes. */
  readonly totals: () => Promise<MetricCounts>;
  /** Returns the activity of all processes, with the calls that ended at `since` (ISO 8601) or later. */
  readonly activity: (since: string) => Promise<CallActivity>;
  readonly history: History;
}

/** The state that the primary passes to each worker. */
export interface History {
  /** When the first process of this proxy started, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly configuration: ConfigurationState;
}

/** A proxy. The caller must make `app` listen. */
export interface ProxyServer {
  readonly app: FastifyInstance;
  /** Returns the counts of this process. */
  counts(): MetricCounts;
  /** Returns the activity of this process, with the calls that ended at `since` (ISO 8601) or later. */
  activity(since: string): CallActivity;
  /**
   * Applies another configuration to new calls; running calls keep the earlier one. Throws `configuration` if the
   * configuration cannot be used.
   */
  reload(config: ProxyConfig): void;
  /** Shows on the dashboard why a new configuration was not applied. */
  noteRefused(reason: string): void;
  /** Makes `/readyz` return 503 and every response close its connection; calls are still served. */
  announceStop(): void;
  /** Stops accepting connections. Resolves when the listener is closed, so that another process can bind its port. */
  refuse(): Promise<void>;
  /**
   * Stops accepting connections, and resolves when all calls have been served, including those that arrive over open
   * connections.
   */
  drain(): Promise<void>;
  /**
   * Stops accepting connections. Resolves when all open connections have ended, or when no call is running after the
   * keep-alive timeout. Used when another process takes over the socket.
   */
  retire(): Promise<void>;
  /** Ends all calls immediately, and closes the server, the connections to upstreams and the log. */
  close(): Promise<void>;
}

/** Creates the proxy. Throws `configuration` if an API key is required and none can exist. */
export function createProxy(config: ProxyConfig, parts: ProxyParts): ProxyServer {
  keepNextTickFast();
  const pools = createPools(config.outboundProxies);
  const cooldowns = createCooldowns(Date.now, parts.cooldownShare);
  const instanceId = parts.shared?.instanceId ?? createInstanceId();
  const metrics = createMetrics(pools.queued);
  const limits = parts.limits ?? createMemoryLimits();
  const stats = new UpstreamStats();
  const gateway = parts.gateway ?? NO_GATEWAY;
  const stored = parts.gateway?.directory;
  const modelDataHost: ModelDataHost = {
    fetched: new Map(),
    onFailure: (reason) =>
      parts.note?.(runtime.redact(`${reason}. The earlier data is used, or else the bundled data.`)),
  };
  const deriveRuntime = (from: ProxyConfig) =>
    createRuntime(from, pools, instanceId, stats, stored, modelDataHost);
  let runtime = deriveRuntime(config);
  let serial = 0;
  let draining = false;
  let closing = false;
  const replicaId = randomBytes(6).toString("hex");
  const prefix = `req_${replicaId}`;
  const observer = new CallObserver(parts.telemetry?.(replicaId));
  const streams = createOpenStreams(() => runtime.config.pingMs);
  const recent = createRecentCalls();
  let { configuration } = parts.shared?.history ?? { configuration: { readAt: Date.now() } };
  const services: Services = {
    runtime: () => runtime,
    pools,
    cooldowns,
    keyPolicy: createKeyPolicy(cooldowns),
    stats,
    limits,
    limiter: createLimiter(limits),
    streams,
    log: parts.log,
    metrics,
    modelLabels: createModelLabels(),
    totals: parts.shared?.totals ?? metrics.counts,
    recent,
    activity: parts.shared?.activity ?? (async (since) => ownActivity(recent, cooldowns, since)),
    startedAt: parts.shared?.history.startedAt ?? Math.round(performance.timeOrigin),
    configuration: () => configuration,
    dashboardPage: parts.dashboardPage ?? notBuilt,
    instanceId,
    nextRequestId: () => `${prefix}${(serial++).toString(36)}`,
    replicaId,
    version: parts.version ?? "",
    gateway,
    memory: createBodyMemory(),
    conversations: createStoredConversations(parts.gateway, parts.shared?.conversations),
    background: new Map(),
    callCache: createCallCache(),
    sendInternally: (request) => sendInternally(app.server, request),
    isDraining: () => draining,
    isClosing: () => closing,
    isStopping: () => connections.isStopping(),
    observer,
    telemetryRelay: { waiting: 0 },
    connections: createConnectionLimit(capacityFor(config.limits.connections, descriptorLimit())),
  };
  const mcp = createMcpGateway({
    services,
    note: (line) => parts.note?.(runtime.redact(line)),
  });
  mcp.apply(config);
  const app = createServingApp(config, parts, services, mcp);
  const upgrades = serveUpgrades(app, services);
  const connections = createDraining(app.server, () => metrics.active > 0);
  const stopHeartbeat = parts.gateway ? startHeartbeat(services) : async () => {};
  const beginDraining = () => {
    draining = true;
    upgrades.drain();
  };
  return {
    app,
    counts: metrics.counts,
    activity: (since) => ownActivity(recent, cooldowns, since),
    reload(wanted) {
      // A listener cannot change between HTTP and HTTPS.
      const next = { ...wanted, tls: config.tls && (wanted.tls ?? config.tls) };
      if (next.tls && app.server instanceof HttpsServer) app.server.setSecureContext(next.tls);
      runtime = deriveRuntime(next);
      cooldowns.clear();
      mcp.apply(next);
      configuration = { readAt: Date.now() };
      pools.keepOnly(listPoolKeys(next));
    },
    noteRefused(reason) {
      configuration = { ...configuration, refused: { at: Date.now(), reason } };
    },
    announceStop: connections.announceStop,
    async refuse() {
      beginDraining();
      await connections.refuse();
    },
    async drain() {
      beginDraining();
      await connections.drain();
    },
    async retire() {
      beginDraining();
      await connections.retire();
    },
    async close() {
      draining = true;
      closing = true;
      streams.stop();
      upgrades.stop();
      await stopHeartbeat();
      await mcp.close();
      await app.close();
      await pools.destroy();
      parts.cooldownShare?.close();
      await limits.close();
      await observer.close();
      await parts.log.close();
    },
  };
}

function createServingApp(
  config: ProxyConfig,
  parts: ProxyParts,
  services: Services,
  mcp: McpGateway,
): FastifyInstance {
  const app = createApp({
    bodyLimit: config.limits.body,
    requestTimeout: 300_000,
    acceptAnyPath: true,
    tls: config.tls && { ...config.tls, createServer },
    first: createFastPath(services, parts.onInternal),
    isUpgrade: isWebSocketRequest,
  });
  services.connections.watch(app.server);
  addSecurityHeaders(app);
  addAdmissionHook(app, services);
  addProxyErrors(app, services, parts.onInternal);
  addRoutes(app, services, mcp);
  return app;
}

/** Returns the keys of the connection pools that a configuration uses. */
function listPoolKeys({ upstreams, mcp }: ProxyConfig): PoolKey[] {
  const servers = [...mcp].flatMap(([name, server]) =>
    isHttpServer(server) ? asUpstream(name, server) : [],
  );
  return [...upstreams.values(), ...servers].map(toPoolKey);
}

async function notBuilt(): Promise<string> {
  throw new AppError("not_found", "The dashboard is not built. Run: npm run build");
}

const keptTicks: object[] = [];

/**
 * Keeps `process.nextTick` fast; every read and write calls it several times. If a garbage collection finds no tick
 * object, as in an idle process, V8 drops the hidden class of these objects, and every later tick is slow. One tick
 * object that stays alive prevents this (`bench/proxy/next-tick.mjs`).
 */
function keepNextTickFast(): void {
  process.nextTick(() => keptTicks.push(executionAsyncResource()));
}
