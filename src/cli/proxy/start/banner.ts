import { networkInterfaces } from "node:os";
import { isLoopback, isWildcard, urlHost } from "../../../config/loopback.ts";
import { describeProxies } from "../../../config/outbound-proxy.ts";
import type { ProxyConfig } from "../../../config/proxy/config.ts";
import { effectiveMode } from "../../../proxy/auth/policy.ts";

/** The configuration file: where it is, or would be. */
export interface BannerFile {
  readonly path: string;
  readonly isThere: boolean;
}

/** Where "localhost" leads to: what can be said so is told as that name. */
const LOCALHOST = new Set(["127.0.0.1", "localhost"]);

/** The URL that a proxy is reached by from its own machine, which is not localhost where it listens on one address alone. */
export function baseUrl(host: string, port: number): string {
  const own = urlHost(host);
  return `http://${LOCALHOST.has(own) || isWildcard(host) ? "localhost" : own}:${port}`;
}

/** What a person needs to point a client here, ready to paste. */
export function banner(config: ProxyConfig, port: number, file: BannerFile): string[] {
  const base = baseUrl(config.host, port);
  const mode = effectiveMode(config.authMode, config.allowLanAccess);
  const upstreams = [...config.upstreams.values()];
  const names = upstreams.map(({ name, dialect }) => `${name} (${dialect})`);
  const onlyEcho = upstreams.every(({ dialect }) => dialect === "any");
  const urls = isWildcard(config.host) ? lanUrls(port) : [];
  const lan = urls.length > 0 ? [`  from the network      ${urls.join("  ")}`] : [];
  const outbound = describeProxies(config.outboundProxies);
  const open =
    mode === "off" && !isLoopback(config.host)
      ? ["WARNING: anyone who reaches this machine can use the proxy."]
      : [];
  return [
    `Proxy listening on ${base}`,
    `  Claude Code           ANTHROPIC_BASE_URL=${base}`,
    `  OpenAI SDKs           OPENAI_BASE_URL=${base}/v1`,
    `  Gemini CLI, Google    GOOGLE_GEMINI_BASE_URL=${base}`,
    "  Codex and others      sallyport proxy connect codex",
    `  Dashboard             ${base}/`,
    ...lan,
    `  keys                  ${mode === "off" ? "not needed" : `needed (${mode})`}`,
    `  upstreams             ${onlyEcho ? "echo: no key and no model server was found, your words come back" : names.join(", ")}`,
    ...(outbound.length > 0 ? [`  outbound proxy        ${outbound.join("; ")}`] : []),
    ...(config.workers > 1 ? [`  workers               ${config.workers}`] : []),
    `  configuration         ${file.path}${file.isThere ? "" : " (not there: defaults)"}`,
    ...open,
  ];
}

function lanUrls(port: number): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? [])
      .filter((address) => address.family === "IPv4" && !address.internal)
      .map((address) => `http://${address.address}:${port}`),
  );
}
