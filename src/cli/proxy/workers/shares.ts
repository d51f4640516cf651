import type { ProxyConfig } from "../../../config/proxy/config.ts";

/**
 * The configuration for one of so many workers: limits of all together in equal shares, as connections and bodies are
 * given to them in turn. A share is never too small for a single body.
 */
export function shareOf(config: ProxyConfig, workers: number): ProxyConfig {
  const { limits } = config;
  const inFlight = Math.max(Math.floor(limits.inFlight / workers), Math.min(limits.body, limits.inFlight));
  const connections = Math.max(1, Math.floor(limits.connections / workers));
  return { ...config, limits: { ...limits, inFlight, connections } };
}
