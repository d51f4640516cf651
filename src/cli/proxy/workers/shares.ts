import type { ProxyConfig } from "../../../config/proxy/config.ts";

/**
 * Returns the configuration for one of several workers: divides the total limits equally, because connections are
 * given to workers in turn. A share always has room for one request body.
 */
export function shareOf(config: ProxyConfig, workers: number): ProxyConfig {
  const { limits } = config;
  const inFlight = Math.max(Math.floor(limits.inFlight / workers), Math.min(limits.body, limits.inFlight));
  const connections = Math.max(1, Math.floor(limits.connections / workers));
  return { ...config, limits: { ...limits, inFlight, connections } };
}
