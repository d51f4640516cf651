import { z } from "zod";
import type { Environment } from "../paths.ts";
import { headersSchema, httpUrl } from "./value-schemas.ts";

/**
 * `proxy.otel`, the settings of OpenTelemetry: the export of the proxy's own spans and metrics, and the forwarding of
 * clients' telemetry.
 */
export const otelSettings = z
  .strictObject({
    endpoint: httpUrl
      .optional()
      .describe("The OTLP endpoint for spans and metrics, such as http://localhost:4318."),
    headers: headersSchema.default({}).describe("Headers for the endpoint, such as its API key."),
    content: z
      .boolean()
      .default(false)
      .describe("Adds the messages of clients and models to spans, with secrets redacted."),
    relay: httpUrl
      .optional()
      .describe("The OTLP endpoint that receives the telemetry of clients; default: it is dropped."),
    relay_headers: headersSchema.default({}).describe("Headers for that endpoint."),
  })
  .prefault({});

export type OtelSettings = z.output<typeof otelSettings>;

/** The resolved settings of OpenTelemetry. */
export interface OtelConfig {
  /** The destination of spans and metrics; undefined: they are not exported. */
  readonly exporter: OtelExporter | undefined;
  readonly content: boolean;
  /** The destination of the clients' telemetry; undefined: it is dropped. */
  readonly relay: { readonly url: string; readonly headers: Readonly<Record<string, string>> } | undefined;
}

export interface OtelExporter {
  /** The endpoint without trailing slash; undefined if the exporter reads it from the environment. */
  readonly endpoint: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds between two exports of metrics, and the time limit of one. */
  readonly metricsIntervalMs: number;
  readonly metricsTimeoutMs: number;
}

const ENDPOINTS = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
];

/**
 * Resolves the settings with the variables that OpenTelemetry defines
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). An endpoint of the environment
 * takes precedence over `endpoint` and `headers`. `toTexts` returns headers with the texts of their secrets.
 */
export function resolveOtel(
  { endpoint, headers, content, relay, relay_headers }: OtelSettings,
  environment: Environment,
  toTexts: (headers: OtelSettings["headers"]) => Record<string, string>,
): OtelConfig {
  const isInEnvironment = ENDPOINTS.some((name) => environment[name]);
  const isOn =
    (isInEnvironment || endpoint !== undefined) && environment["OTEL_SDK_DISABLED"]?.toLowerCase() !== "true";
  const metricsIntervalMs = positive(environment["OTEL_METRIC_EXPORT_INTERVAL"]) ?? 60_000;
  const metricsTimeoutMs = positive(environment["OTEL_METRIC_EXPORT_TIMEOUT"]) ?? 30_000;
  return {
    exporter: isOn
      ? {
          endpoint: isInEnvironment ? undefined : endpoint?.replace(/\/+$/, ""),
          headers: isInEnvironment ? {} : toTexts(headers),
          metricsIntervalMs,
          metricsTimeoutMs: Math.min(metricsTimeoutMs, metricsIntervalMs),
        }
      : undefined,
    content,
    relay:
      relay === undefined ? undefined : { url: relay.replace(/\/+$/, ""), headers: toTexts(relay_headers) },
  };
}

function positive(text: string | undefined): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}
