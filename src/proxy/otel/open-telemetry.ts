import type { IncomingHttpHeaders } from "node:http";
import {
  type Attributes,
  type Context,
  DiagLogLevel,
  diag,
  type Histogram,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { UpstreamConfig } from "../../config/proxy/config.ts";
import type { OtelExporter } from "../../config/proxy/otel.ts";
import type { AttemptRecord } from "../observability/request-log.ts";
import type { CallTrace, Telemetry, TracedCall } from "../observability/telemetry.ts";
import { OpenMcpTrace } from "./mcp-trace.ts";
import { ATTRIBUTES, METRICS, operationName, providerName } from "./names.ts";
import { fail, formatTraceparent, serverAttributes, withoutUndefined } from "./spans.ts";

export interface TelemetryOptions {
  readonly exporter: OtelExporter;
  readonly version: string;
  /** Identifies the process. */
  readonly instanceId: string;
  /** Receives the reason why telemetry cannot be exported, at most once a minute. */
  readonly onFailure: (reason: string) => void;
}

/** Maximum duration of the last export, in milliseconds. */
const CLOSE_MS = 3_000;
/** Minimum milliseconds between two reports of failed exports. */
const REPORT_MS = 60_000;

/** Starts OpenTelemetry with exporters over OTLP (HTTP, protobuf). Exports happen in the background, in batches. */
export function openTelemetry(options: TelemetryOptions): Telemetry {
  reportFailures(options.onFailure);
  const { exporter, version, instanceId } = options;
  const { endpoint, headers, metricsIntervalMs, metricsTimeoutMs } = exporter;
  const target = (path: string) =>
    endpoint === undefined ? {} : { url: `${endpoint}${path}`, headers: { ...headers } };
  const resource = resourceFromAttributes({
    "service.name": "sallyport",
    "service.version": version,
    "service.instance.id": instanceId,
  }).merge(detectResources({ detectors: [envDetector] }));
  const traces = new BasicTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter(target("/v1/traces")))],
  });
  const metrics = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter(target("/v1/metrics")),
        exportIntervalMillis: metricsIntervalMs,
        exportTimeoutMillis: metricsTimeoutMs,
      }),
    ],
  });
  const tracer = traces.getTracer("sallyport", version);
  const meter = metrics.getMeter("sallyport", version);
  const histogram = ({ name, unit, description, buckets }: (typeof METRICS)[keyof typeof METRICS]) =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries: [...buckets] } });
  const histograms = {
    tokens: histogram(METRICS.tokens),
    duration: histogram(METRICS.duration),
    firstToken: histogram(METRICS.firstToken),
  };
  const propagator = new W3CTraceContextPropagator();
  const getContext = (received: IncomingHttpHeaders) =>
    propagator.extract(ROOT_CONTEXT, received, {
      get: (carrier, name) => carrier[name],
      keys: Object.keys,
    });
  return {
    begin: (received) => new OpenTrace(tracer, getContext(received), histograms),
    beginMcp: (received, server) => new OpenMcpTrace(tracer, getContext(received), server),
    async close() {
      const ended = Promise.allSettled([traces.shutdown(), metrics.shutdown()]);
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())]);
    },
  };
}

function reportFailures(onFailure: (reason: string) => void): void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  const report = (message: string) => {
    if (performance.now() - reportedAt < REPORT_MS) return;
    reportedAt = performance.now();
    // The SDK formats an error as JSON with its stack.
    onFailure(/"message":"([^"]{1,200})/.exec(message)?.[1] ?? message.slice(0, 200));
  };
  const none = () => {};
  const logger = { error: report, warn: none, info: none, debug: none, verbose: none };
  diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
}

interface Histograms {
  readonly tokens: Histogram;
  readonly duration: Histogram;
  readonly firstToken: Histogram;
}

class OpenTrace implements CallTrace {
  private readonly tracer: Tracer;
  private readonly histograms: Histograms;
  private readonly span: Span;
  private readonly context: Context;
  private readonly attempts: { readonly span: Span; readonly model: string; readonly provider: string }[] =
    [];
  private current: Span | undefined;

  constructor(tracer: Tracer, parent: Context, histograms: Histograms) {
    this.tracer = tracer;
    this.histograms = histograms;
    this.span = tracer.startSpan("call", { kind: SpanKind.SERVER }, parent);
    this.context = trace.setSpan(parent, this.span);
  }

  beginAttempt(upstream: UpstreamConfig, model: string): void {
    const provider = providerName(upstream);
    const attributes: Attributes = {
      [ATTRIBUTES.provider]: provider,
      [ATTRIBUTES.requestModel]: model,
      [ATTRIBUTES.upstream]: upstream.name,
      ...(upstream.dialect === "any" ? {} : serverAttributes(upstream.baseUrl)),
    };
    const span = this.tracer.startSpan("attempt", { kind: SpanKind.CLIENT, attributes }, this.context);
    this.current = span;
    this.attempts.push({ span, model, provider });
  }

  traceparent(): string {
    return formatTraceparent(this.current ?? this.span);
  }

  endAttempt({ status, errorCode, waitMs }: AttemptRecord): void {
    const span = this.current;
    if (span === undefined) return;
    if (status !== undefined) span.setAttribute(ATTRIBUTES.status, status);
    if (waitMs > 0) span.setAttribute(ATTRIBUTES.waitMs, waitMs);
    fail(span, errorCode);
    this.ended.push(span);
    this.endTimes.push(Date.now());
  }

  /** Spans of attempts that have ended. They are completed with the call, because its operation is not known before. */
  private readonly ended: Span[] = [];
  private readonly endTimes: number[] = [];

  end(call: TracedCall, endedAt: number): void {
    const operation = operationName(call.operation, call.dialect);
    for (const { span, model } of this.attempts) {
      span.updateName(`${operation} ${model}`).setAttribute(ATTRIBUTES.operation, operation);
      span.end(this.endTimes[this.ended.indexOf(span)] ?? endedAt);
    }
    const { record, upstream } = call;
    const provider = this.attempts.at(-1)?.provider ?? (upstream && providerName(upstream)) ?? "sallyport";
    this.span.updateName(record.model === undefined ? operation : `${operation} ${record.model}`);
    this.span.setAttributes(spanAttributes(call, operation, provider));
    fail(this.span, record.errorCode);
    this.span.end(endedAt);
    this.measure(call, operation, provider);
  }

  private measure({ record }: TracedCall, operation: string, provider: string): void {
    const { modelLabel, errorCode, usage, ms, firstByteMs, stream } = record;
    const attributes: Attributes = {
      [ATTRIBUTES.operation]: operation,
      [ATTRIBUTES.provider]: provider,
      // The label instead of the model's name, because the number of labels is bounded.
      ...(modelLabel && { [ATTRIBUTES.requestModel]: modelLabel }),
      ...(errorCode !== undefined && { [ATTRIBUTES.errorType]: errorCode }),
    };
    const { tokens, duration, firstToken } = this.histograms;
    duration.record(ms / 1000, attributes);
    if (stream && firstByteMs !== undefined) firstToken.record(firstByteMs / 1000, attributes);
    for (const [type, count] of [
      ["input", usage?.input.total],
      ["output", usage?.output.total],
    ] as const)
      if (count !== undefined) tokens.record(count, { ...attributes, [ATTRIBUTES.tokenType]: type });
  }
}

function spanAttributes(call: TracedCall, operation: string, provider: string): Attributes {
  const { record, responseModel, finishReasons, content } = call;
  const { usage } = record;
  return withoutUndefined({
    [ATTRIBUTES.operation]: operation,
    [ATTRIBUTES.provider]: provider,
    [ATTRIBUTES.requestModel]: record.model,
    [ATTRIBUTES.responseModel]: responseModel,
    [ATTRIBUTES.finishReasons]: finishReasons.length === 0 ? undefined : [...finishReasons],
    [ATTRIBUTES.inputTokens]: usage?.input.total,
    [ATTRIBUTES.outputTokens]: usage?.output.total,
    [ATTRIBUTES.cacheReadTokens]: usage?.input.cacheRead,
    [ATTRIBUTES.cacheWriteTokens]: usage?.input.cacheWrite,
    [ATTRIBUTES.conversation]: record.session,
    [ATTRIBUTES.route]: record.route,
    [ATTRIBUTES.status]: record.status === 0 ? undefined : record.status,
    [ATTRIBUTES.callId]: record.id,
    [ATTRIBUTES.key]: record.key,
    [ATTRIBUTES.team]: record.team,
    [ATTRIBUTES.cost]: record.cost,
    [ATTRIBUTES.upstream]: record.upstream,
    [ATTRIBUTES.systemInstructions]: content?.systemInstructions,
    [ATTRIBUTES.inputMessages]: content?.inputMessages,
    [ATTRIBUTES.outputMessages]: content?.outputMessages,
  });
}
