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

export interface ProxyParts {
  readonly log: RequestLog;
  /** Called with each unexpected error, which is a defect of the proxy. */
  readonly onInternal: (error: unknown) => void;
  /** Writes a line for the person who runs the proxy, such as what a program wrote to stderr. */
  readonly note?: ((line: string) => void) | undefined;
  /** Counts the usage of all processes against limits; undefined if this process counts only its own usage. */
  readonly limits?: LimitStore | undefined;
  /** Shares cooldowns between replicas; undefined: cooldowns apply only to this process. */
  readonly cooldownShare?: CooldownShare | undefined;
  /** Loads the built dashboard. Without it, `/` serves a static page. */
  readonly dashboardPage?: () => Promise<string>;
  /** The database; without it there are no virtual keys and no admin API. */
  readonly gateway?: Gateway | undefined;
  readonly version?: string;
  /** Starts OpenTelemetry, with the id of this process; undefined: calls are reported to no collector. */
  readonly telemetry?: ((instanceId: string) => Telemetry) | undefined;
  /** State shared with other processes that serve the same address; undefined for a single process. */
  readonly shared?: SharedParts;
}

export interface SharedParts {
  /** The instance id that all of them share. */
  readonly instanceId: string;
  readonly conversations: ConversationStore;
  /** Returns the sum of what all processes have counted. */
  readonly totals: () => Promise<MetricCounts>;
  /** Returns the running and recent calls of all processes; of the ended ones, those from `since` (ISO 8601) on. */
  readonly activity: (since: string) => Promise<CallActivity>;
  readonly history: History;
}

/** State inherited from the process that this one replaces. */
export interface History {
  /** Start of the first process, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly configuration: ConfigurationState;
}

/** A proxy whose app is not listening yet. */
export interface ProxyServer {
  readonly app: FastifyInstance;
  /** Returns what this process has counted. */
  counts(): MetricCounts;
  /** Returns the running and recent calls of this process; of the ended ones, those from `since` (ISO 8601) on. */
  activity(since: string): CallActivity;
  /**
   * Applies another configuration; calls that have begun keep theirs. Throws `configuration` if it cannot be used.
   */
  reload(config: ProxyConfig): void;
  /** Shows on the dashboard why a new configuration was not applied. */
  noteRefused(reason: string): void;
  /** Makes `/readyz` return 503 and every response close its connection; calls are still served. */
  announceStop(): void;
  /** Rejects new requests and resolves when all running ones have been served. */
  drain(): Promise<void>;
  /**
   * Stops accepting connections, and resolves when all calls on existing connections have ended. For a proxy that
   * another process replaces at the same socket.
   */
  retire(): Promise<void>;
  /** Closes streams, server, connection pools and log at once. */
  close(): Promise<void>;
}

/** Creates the proxy. Throws `configuration` if an API key is required and none is configured. */
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
  let runtime = createRuntime(config, pools, instanceId, stats, stored);
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
  return {
    app,
    counts: metrics.counts,
    activity: (since) => ownActivity(recent, cooldowns, since),
    reload(wanted) {
      // A listener cannot change between HTTP and HTTPS.
      const next = { ...wanted, tls: config.tls && (wanted.tls ?? config.tls) };
      if (next.tls && app.server instanceof HttpsServer) app.server.setSecureContext(next.tls);
      runtime = createRuntime(next, pools, instanceId, stats, stored);
      cooldowns.clear();
      mcp.apply(next);
      configuration = { readAt: Date.now() };
      pools.keepOnly(listPoolKeys(next));
    },
    noteRefused(reason) {
      configuration = { ...configuration, refused: { at: Date.now(), reason } };
    },
    announceStop: connections.announceStop,
    async drain() {
      draining = true;
      upgrades.drain();
      await connections.drain();
    },
    async retire() {
      upgrades.drain();
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

/** Creates the Fastify app with admission, error handling and all routes. */
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

/** Returns the connection pools that a configuration uses. */
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
 * Keeps `process.nextTick` fast, which every read and write calls several times. V8 drops the hidden class of Node's
 * tick objects if a garbage collection finds none of them, as in an idle process. Every later tick then takes the
 * slow path. Keeping one tick object alive preserves the class. Bench: `bench/proxy/next-tick.mjs`.
 */
function keepNextTickFast(): void {
  process.nextTick(() => keptTicks.push(executionAsyncResource()));
}
