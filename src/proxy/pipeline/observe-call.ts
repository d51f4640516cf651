import type { IncomingMessage, ServerResponse } from "node:http";
import type { CaptureConfig, ProxyKey } from "../../config/proxy/config.ts";
import { getProfile } from "../dialects/index.ts";
import type { CallRecord } from "../observability/request-log.ts";
import type { CallTrace, McpTrace, Telemetry, TracedServer } from "../observability/telemetry.ts";
import type { Runtime } from "../runtime.ts";
import type { Call } from "./call.ts";
import type { CallBody } from "./call-body.ts";
import { CAPTURE_MARGIN, ResponseTap, type TappedText } from "./response-tap.ts";

/** The data that is collected about a call in addition to its record, if OpenTelemetry or captures are configured. */
export interface Observation {
  /** The call's trace; undefined if the call is not reported to a collector. */
  readonly trace: CallTrace | undefined;
  /** The calls whose bodies are stored. */
  readonly capture: CaptureConfig["calls"];
  readonly tap: ResponseTap;
  /** Undefined until the body of a model call has been read. */
  operation: string | undefined;
  /** The request's body, if it is JSON and its content is reported or kept. */
  body: Buffer | undefined;
}

/** Bytes from the beginning of a response that are kept to find its model and its finish reasons. */
const KEPT = 64 * 1024;
/** Bytes from the beginning of a response that are kept if the trace contains its content. */
const KEPT_CONTENT = 256 * 1024;
/** Maximum bytes of bodies that wait for the database. Bodies that would exceed it are not stored. */
const MAX_WAITING = 32 * 1024 * 1024;

/** Observes calls, and reports and stores the observed data when the calls have ended. */
export class CallObserver {
  private readonly telemetry: Telemetry | undefined;
  /** Calls that have ended and are not reported yet. */
  private readonly pending = new Set<Promise<unknown>>();
  private waiting = 0;

  constructor(telemetry: Telemetry | undefined) {
    this.telemetry = telemetry;
  }

  begin(
    request: IncomingMessage,
    response: ServerResponse,
    { config }: Runtime,
    key: ProxyKey | undefined,
  ): Observation | undefined {
    const { maxBytes } = config.capture;
    const calls = config.database.engine === "none" ? "off" : (key?.capture ?? config.capture.calls);
    const capture =
      calls === "off" || request.headers[NO_CAPTURE]?.toString().toLowerCase() === "off" ? "off" : calls;
    if (this.telemetry === undefined && capture === "off") return undefined;
    const traced = config.otel.content ? KEPT_CONTENT : KEPT;
    return {
      trace: this.telemetry?.begin(request.headers),
      capture,
      tap: new ResponseTap(
        response,
        capture === "off" ? traced : Math.max(traced, maxBytes + CAPTURE_MARGIN),
      ),
      operation: undefined,
      body: undefined,
    };
  }

  /** Begins the trace of a call to an MCP server. Returns undefined if there is no collector. */
  beginMcp({ headers }: IncomingMessage, server: TracedServer): McpTrace | undefined {
    return this.telemetry?.beginMcp(headers, server);
  }

  /** Reports a call whose response has ended, and stores its bodies if they are captured. */
  end(call: Call, observation: Observation, record: CallRecord): void {
    const endedAt = Date.now();
    const task = this.finish(call, observation, record, endedAt)
      .catch(() => {})
      .finally(() => this.pending.delete(task));
    this.pending.add(task);
  }

  async close(): Promise<void> {
    await Promise.all(this.pending);
    await this.telemetry?.close();
  }

  private async finish(
    call: Call,
    observation: Observation,
    record: CallRecord,
    endedAt: number,
  ): Promise<void> {
    const tapped = await observation.tap.text();
    if (observation.trace) await report(call, observation.trace, observation, record, tapped, endedAt);
    const { capture, body } = observation;
    const isCaptured = capture === "all" || (capture === "errors" && record.errorCode !== undefined);
    const size = (body?.length ?? 0) + tapped.head.length;
    if (!isCaptured || this.waiting + size > MAX_WAITING) return;
    this.waiting += size;
    try {
      const { captureBodies } = await import("./redact-content.ts");
      const row = await captureBodies(call, body, tapped);
      await (await call.services.gateway.store()).saveCapture(row);
    } finally {
      this.waiting -= size;
    }
  }
}

/** The request header by which a client opts out of the storage of its bodies. */
const NO_CAPTURE = "x-sallyport-capture";

/** Records the operation and the body of an observed call. */
export function observeRequest(call: Call, operation: string, body: CallBody): void {
  const { observation, runtime } = call;
  if (observation === undefined) return;
  observation.operation = operation;
  if ((runtime.config.otel.content || observation.capture !== "off") && body.kind === "json")
    observation.body = body.bytes;
}

async function report(
  call: Call,
  trace: CallTrace,
  { operation = call.route.operation, body }: Observation,
  record: CallRecord,
  tapped: TappedText,
  endedAt: number,
): Promise<void> {
  const { upstream, dialect, stream, runtime } = call;
  const isRead = runtime.config.otel.content && body !== undefined && call.excess === undefined;
  const content = isRead
    ? await (await import("./traced-content.ts")).tracedContent(call, body, tapped)
    : undefined;
  const responses = record.errorCode === undefined ? `${tapped.head}\n${tapped.tail}` : "";
  const { finishReason, modelName } = getProfile(dialect).response;
  const responseModel = modelName.exec(responses)?.[1];
  const finishReasons = operation === "generate" ? findReasons(responses, finishReason, stream) : [];
  trace.end({ record, operation, dialect, upstream, responseModel, finishReasons, content }, endedAt);
}

/** Returns the finish reason of each choice of a response, or the last finish reason of a stream. */
function findReasons(text: string, pattern: RegExp, isStream: boolean): string[] {
  const found = [...text.matchAll(pattern)].flatMap((match) => match.slice(1).find(Boolean) ?? []);
  return isStream ? found.slice(-1) : found;
}
