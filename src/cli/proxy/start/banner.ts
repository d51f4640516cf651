import { networkInterfaces } from "node:os";
import { isLoopback, isSameAddress, isWildcard, urlHost } from "../../../config/loopback.ts";
import { describeProxies } from "../../../config/outbound-proxy.ts";
import type { ProxyConfig } from "../../../config/proxy/config.ts";
import { effectiveMode } from "../../../proxy/auth/policy.ts";

/** The path of the configuration file, and whether the file exists. */
export interface BannerFile {
  readonly path: string;
  readonly isThere: boolean;
}

/** Hosts that the proxy's URL shows as "localhost". */
const LOCALHOST = new Set(["127.0.0.1", "localhost"]);

/** Returns the URL of the proxy on its own machine. */
export function baseUrl({ host, tls }: Pick<ProxyConfig, "host" | "tls">, port: number): string {
  const own = urlHost(host);
  return `${getScheme(tls)}://${LOCALHOST.has(own) || isWildcard(host) ? "localhost" : own}:${port}`;
}

function getScheme(tls: ProxyConfig["tls"]): "http" | "https" {
  return tls === undefined ? "http" : "https";
}

/** Returns the lines that `proxy start` prints: addresses for clients, ready to paste, and the main settings. */
export function banner(config: ProxyConfig, port: number, file: BannerFile): string[] {
  const base = baseUrl(config, port);
  const mode = effectiveMode(config.authMode, config.allowLanAccess);
  const upstreams = [...config.upstreams.values()];
  const names = upstreams.map(({ name, dialect }) => `${name} (${dialect})`);
  const onlyEcho = upstreams.every(({ dialect }) => dialect === "any");
  const urls = isWildcard(config.host) ? lanUrls(getScheme(config.tls), port) : [];
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
    `  upstreams             ${onlyEcho ? "echo: no API key or model server found; the proxy returns your text" : names.join(", ")}`,
    ...(outbound.length > 0 ? [`  outbound proxy        ${outbound.join("; ")}`] : []),
    ...(config.workers > 1 ? [`  workers               ${config.workers}`] : []),
    ...captureLine(config),
    `  configuration         ${file.path}${file.isThere ? "" : " (not found: using defaults)"}`,
    ...open,
    ...warnOfItself(config, base),
  ];
}

/** Returns a warning for each upstream that is the proxy itself: calls to it fail with 508. */
export function warnOfItself({ upstreams }: ProxyConfig, base: string): string[] {
  const itself = [...upstreams.values()].filter(
    ({ dialect, baseUrl: target }) => dialect !== "any" && isSameAddress(base, target),
  );
  return itself.map(
    ({ name }) =>
      `WARNING: the upstream "${name}" is this proxy. Calls to it fail with 508. Correct proxy.upstreams.${name}.base_url.`,
  );
}

/** Returns a line that reports that request and response bodies are stored; none if they are not. */
function captureLine({ capture, retention }: ProxyConfig): string[] {
  if (capture.calls === "off") return [];
  const days = Math.round(retention.capturesMs / 86_400_000);
  return [
    `  captured bodies       of ${capture.calls === "all" ? "all calls" : "failed calls"}, for ${days} days, seen by admins`,
  ];
}

function lanUrls(scheme: string, port: number): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? [])
      .filter((address) => address.family === "IPv4" && !address.internal)
      .map((address) => `${scheme}://${address.address}:${port}`),
  );
}
