import type { FastifyReply, FastifyRequest } from "fastify";
import type { UpstreamConfig } from "../../config/proxy/config.ts";
import type { OtelConfig } from "../../config/proxy/otel.ts";
import { getPath } from "../../http/request-path.ts";
import { BodyShare } from "../body/body-memory.ts";
import { readBody } from "../body/read-body.ts";
import type { Services } from "../services.ts";
import { sendTo } from "../upstream/clients.ts";
import { readText } from "../upstream/send.ts";
import { respondToTelemetry } from "./utility-routes.ts";

/** Maximum bytes of telemetry that wait for the collector. Further messages are dropped. */
const MAX_WAITING = 8 * 1024 * 1024;
const TIMEOUT_MS = 10_000;

/** The telemetry of clients that is being relayed to the collector. */
export interface TelemetryRelay {
  /** Bytes that wait for the collector. */
  waiting: number;
}

const COLLECTOR = {
  name: "otel.relay",
  dialect: "any",
  keys: [],
  credentials: "config",
  headers: {},
  forwardHeaders: [],
  models: [],
  capabilities: {},
  prices: new Map(),
  timeouts: { connectMs: TIMEOUT_MS, firstByteMs: TIMEOUT_MS, idleMs: TIMEOUT_MS },
  weight: undefined,
} as const;

/**
 * Responds to a client's OTLP message, and sends it to `proxy.otel.relay` with its path and type, but without the
 * client's credentials. The client does not wait for the collector. A message that cannot be sent is dropped.
 */
export async function relayTelemetry(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
): Promise<FastifyReply> {
  const { limits, otel } = request.runtime.config;
  const share = new BodyShare(services.memory);
  try {
    const body = await readBody(request.raw, limits.body, { share, max: limits.inFlight });
    if (otel.relay !== undefined && services.telemetryRelay.waiting + body.length <= MAX_WAITING) {
      const type = request.headers["content-type"] ?? "application/json";
      void send(otel.relay, getPath(request.url), type, body, services);
    }
    return respondToTelemetry(request, reply);
  } finally {
    share.release();
  }
}

async function send(
  relay: NonNullable<OtelConfig["relay"]>,
  path: string,
  type: string,
  body: Buffer,
  { pools, telemetryRelay }: Services,
): Promise<void> {
  telemetryRelay.waiting += body.length;
  const collector: UpstreamConfig = { ...COLLECTOR, baseUrl: relay.url };
  const headers = [["content-type", type], ...Object.entries(relay.headers)].flat();
  try {
    const response = await sendTo(pools, collector, {
      method: "POST",
      path,
      headers,
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      firstByteMs: TIMEOUT_MS,
    });
    await readText(response, collector.name);
  } catch {
    // Telemetry may be lost, but must not cause errors in the client.
  } finally {
    telemetryRelay.waiting -= body.length;
  }
}
