import { proxyFor } from "../../../config/outbound-proxy.ts";
import { processEnvironment } from "../../../config/paths.ts";
import type { ProxyConfig } from "../../../config/proxy/config.ts";
import { DEFAULT_PROXY_PORT } from "../../../config/proxy/schema.ts";
import { withoutUrlSecrets } from "../../../config/proxy/secrets.ts";
import { loadReviewConfiguration } from "../../../config/review/configuration.ts";
import { AppError, getErrorMessage } from "../../../errors.ts";
import { createProxy } from "../../../proxy/create-proxy.ts";
import type { WarmupResult } from "../../../proxy/server/warmup.ts";
import { readProxyConfiguration } from "../../proxy-configuration.ts";
import type { PortToCheck } from "./disk-and-ports.ts";
import type { DoctorFlags } from "./doctor.ts";
import type { Finding } from "./finding.ts";

/** Checks the configuration file and requests the list of models from every upstream. */
export async function proxyFindings(
  flags: DoctorFlags,
): Promise<{ readonly findings: readonly Finding[]; readonly address: PortToCheck }> {
  const subject = "configuration";
  try {
    const given = { config: flags.config };
    const { loaded, config } = await readProxyConfiguration(processEnvironment, given, false);
    const detail = loaded.file ? loaded.path : `${loaded.path} not found: defaults are used`;
    const findings: readonly Finding[] = [
      (await reviewFinding()) ?? { subject, state: "ok", detail },
      ...(await upstreamFindings(config)),
    ];
    return { findings, address: { port: config.port, host: config.host } };
  } catch (error) {
    return { findings: [brokenConfiguration(error)], address: { port: DEFAULT_PROXY_PORT } };
  }
}

/**
 * Checks the review section of the file that reviews read, which `--config` does not change. Returns a finding only if
 * the section is invalid.
 */
async function reviewFinding(): Promise<Finding | undefined> {
  try {
    await loadReviewConfiguration(processEnvironment);
    return undefined;
  } catch (error) {
    return brokenConfiguration(error);
  }
}

function brokenConfiguration(error: unknown): Finding {
  if (!(error instanceof AppError)) throw error;
  const remedy = error.hint ?? "Run sallyport proxy check for details.";
  return { subject: "configuration", state: "broken", detail: error.message, remedy };
}

/**
 * Requests the upstreams' lists of models through a proxy without listeners, by the same route as in a
 * running proxy.
 */
async function upstreamFindings(config: ProxyConfig): Promise<readonly Finding[]> {
  const proxy = createProxy(
    { ...config, authMode: "off", allowLanAccess: false },
    {
      log: { add: () => {}, afterWrite: (run) => run(), refused: () => {}, close: async () => {} },
      onInternal: () => {},
    },
  );
  try {
    const response = await proxy.app.inject({ method: "POST", url: "/internal/warmup", payload: {} });
    const { results } = response.json<{ results: readonly WarmupResult[] }>();
    return results.map((result) => toFinding(result, config));
  } catch (error) {
    return [
      { subject: "upstreams", state: "warning", detail: `cannot be checked: ${getErrorMessage(error)}` },
    ];
  } finally {
    await proxy.close();
  }
}

function toFinding({ upstream, ok, ms, error = "" }: WarmupResult, config: ProxyConfig): Finding {
  const subject = `upstream ${upstream}`;
  const { dialect, baseUrl = "" } = config.upstreams.get(upstream) ?? {};
  if (dialect === "any") {
    const remedy =
      "Configure an upstream under proxy.upstreams, or set a vendor's API key in the environment.";
    return { subject, state: "off", detail: "only the built-in echo, no model", remedy };
  }
  const proxy = proxyFor(config.outboundProxies, baseUrl);
  const way = proxy ? ` through ${proxy.url} (${proxy.variable})` : "";
  const shown = withoutUrlSecrets(baseUrl);
  if (ok) return { subject, state: "ok", detail: `${shown} responded in ${ms} ms${way}` };
  const remedy =
    "Check its base_url and key. sallyport proxy check shows the address and the number of keys.";
  return { subject, state: "warning", detail: `${shown}${way}: ${error}`, remedy };
}
