import type { IncomingHttpHeaders } from "node:http";
import { hostname } from "node:os";
import { isLoopback, urlHost } from "../config/loopback.ts";
import type { ProxyConfig } from "../config/proxy/config.ts";
import { AppError } from "../errors.ts";
import type { GuardPolicy } from "../http/guard.ts";
import { collectKeys } from "./auth/credentials.ts";
import { createKeyRing, type KeyRing, type StoredKeys } from "./auth/key-ring.ts";
import { effectiveMode, mayCall, needsKey } from "./auth/policy.ts";
import { matchesGlob } from "./glob.ts";
import { createModelCatalog, type ModelCatalog } from "./models/catalog.ts";
import { createModelDirectory, type ModelDataHost, type ModelDirectory } from "./models/model-directory.ts";
import { createRedactor, type Redact } from "./redact.ts";
import type { Operation } from "./routes.ts";
import { createSelector, type Selector } from "./routing/select-targets.ts";
import type { UpstreamStats } from "./routing/upstream-stats.ts";
import { createForwarding, type Forwarding } from "./server/forwarded.ts";
import type { Pools } from "./upstream/pools.ts";
import { setModelLookup } from "./usage/cost.ts";

/** The state that is derived from one configuration. A reload replaces it for new calls; running calls keep theirs. */
export interface Runtime {
  readonly config: ProxyConfig;
  readonly authMode: ReturnType<typeof effectiveMode>;
  readonly keys: KeyRing;
  /** Whether anyone other than this machine's user can call the proxy: it requires keys or listens beyond loopback. */
  readonly isShared: boolean;
  readonly guard: GuardPolicy;
  /** Reads the client's address and URL from the headers of trusted load balancers. */
  readonly forwarding: Forwarding;
  readonly catalog: ModelCatalog;
  readonly modelData: ModelDirectory;
  readonly selector: Selector;
  /** Whether a rule's strategy depends on measurements of upstreams. */
  readonly usesStats: boolean;
  readonly hasUpstreamLimits: boolean;
  /** Redacts the secrets of the configuration that have at least 8 characters. */
  readonly redact: Redact;
  /**
   * Returns whether the key of a request is still accepted, for a response that does not end: a key can be revoked or
   * expire, and keys can become required.
   */
  stillAdmits(
    request: { readonly headers: IncomingHttpHeaders; readonly url: string },
    operation: Operation,
  ): boolean;
}

/**
 * Creates a runtime. `stored` contains the API keys in the database, which can change later. Throws `configuration` if
 * an API key is required and none can exist.
 */
export function createRuntime(
  config: ProxyConfig,
  pools: Pools,
  instanceId: string,
  stats?: UpstreamStats,
  stored?: StoredKeys & { readonly requiresKeys: boolean },
  modelDataHost?: ModelDataHost,
): Runtime {
  const authMode = effectiveMode(config.authMode, config.allowLanAccess);
  if (authMode !== "off" && config.keys.length === 0 && stored === undefined)
    throw new AppError(
      "configuration",
      `auth_mode ${authMode} needs a key, and proxy.api_keys is empty. Add a key to proxy.api_keys`,
    );
  const catalog = createModelCatalog([...config.upstreams.values()], pools, instanceId);
  return {
    config,
    get authMode() {
      const isAsked = config.authMode === "auto" && stored?.requiresKeys === true;
      return isAsked && authMode === "off" ? "all_except_health" : authMode;
    },
    keys: createKeyRing(config.keys, stored),
    get isShared() {
      return this.authMode !== "off" || config.allowLanAccess || !isLoopback(config.host);
    },
    guard: guardFor(config),
    forwarding: createForwarding(config.trustedProxies, config.tls ? "https" : "http"),
    catalog,
    modelData: createModelDirectory(config, pools, setModelLookup, modelDataHost),
    selector: createSelector(config.upstreams, config.rules, catalog, Math.random, stats),
    usesStats: config.rules.some(({ strategy }) => strategy === "least-busy" || strategy === "fastest"),
    hasUpstreamLimits: [...config.upstreams.values()].some(({ subject }) => subject !== undefined),
    redact: createRedactor(config.secrets),
    stillAdmits({ headers, url }, operation) {
      const key = this.keys.find(collectKeys(headers, url, false));
      return key === undefined ? !needsKey(this.authMode, operation) : mayCall(key, operation);
    },
  };
}

/**
 * Returns the hosts and origins that the guard allows: the listening address, the configured names, and, if other
 * machines can connect, the names of this machine and any IP address.
 */
function guardFor(config: ProxyConfig): GuardPolicy {
  const { host, allowLanAccess, allowedOrigins, hostnames, publicUrl } = config;
  const isWide = allowLanAccess || !isLoopback(host);
  const published = publicUrl === undefined ? undefined : new URL(publicUrl);
  return {
    hostnames: [
      urlHost(host),
      ...(published ? [published.hostname] : []),
      ...(isWide ? lanNames(hostname().toLowerCase()) : []),
    ],
    ...(hostnames.length > 0 && {
      isAllowedHostname: (name: string) => hostnames.some((pattern) => matchesGlob(pattern, name)),
    }),
    anyAddress: isWide,
    origins: published ? [...allowedOrigins, published.origin] : allowedOrigins,
    mayBeLinked: (path) => path === "/",
  };
}

/**
 * Returns the names by which other machines reach this one: its host name, its multicast DNS name (RFC 6762) and
 * Docker's name for the host.
 */
function lanNames(name: string): string[] {
  return [name, `${name.replace(/\..*$/, "")}.local`, "host.docker.internal"];
}
