import type { IncomingMessage, ServerResponse } from "node:http";
import { getProfile } from "../dialects/index.ts";
import type { CallRecord } from "../observability/request-log.ts";
import type { CallTrace, Telemetry, TracedContent } from "../observability/telemetry.ts";
import type { Runtime } from "../runtime.ts";
import type { Call } from "./call.ts";
import type { CallBody } from "./call-body.ts";
import { ResponseTap, type TappedText } from "./response-tap.ts";

/** What is observed of one call for OpenTelemetry. Calls have none unless it is configured. */
export interface Observation {
  readonly trace: CallTrace;
  readonly tap: ResponseTap;
  /** Undefined until the request's path has been parsed. */
  operation: string | undefined;
  /** The request's body, if it is JSON and its content is reported. */
  body: Buffer | undefined;
}

/** Bytes of a response that are kept to find its model, its finish reasons and its content. */
const KEPT = 64 * 1024;
const KEPT_CONTENT = 256 * 1024;

/** Observes calls and reports them once they have ended. */
export class CallObserver {
  private readonly telemetry: Telemetry | undefined;
  /** Calls that have ended and are not reported yet. */
  private readonly pending = new Set<Promise<void>>();

  constructor(telemetry: Telemetry | undefined) {
    this.telemetry = telemetry;
  }

  begin(request: IncomingMessage, response: ServerResponse, runtime: Runtime): Observation | undefined {
    if (this.telemetry === undefined) return undefined;
    return {
      trace: this.telemetry.begin(request.headers),
      tap: new ResponseTap(response, runtime.config.otel.content ? KEPT_CONTENT : KEPT),
      operation: undefined,
      body: undefined,
    };
  }

  /** Reports a call whose response has ended. */
  end(call: Call, observation: Observation, record: CallRecord): void {
    const endedAt = Date.now();
    const reported = report(call, observation, record, endedAt)
      .catch(() => {})
      .finally(() => this.pending.delete(reported));
    this.pending.add(reported);
  }

  async close(): Promise<void> {
    await Promise.all(this.pending);
    await this.telemetry?.close();
  }
}

/** Records what a call asks for, as far as its observation needs it. */
export function observeRequest(call: Call, operation: string, body: CallBody): void {
  const { observation, runtime } = call;
  if (observation === undefined) return;
  observation.operation = operation;
  if (runtime.config.otel.content && body.kind === "json" && call.excess === undefined)
    observation.body = body.bytes;
}

async function report(
  call: Call,
  { trace, tap, operation = call.route.operation, body }: Observation,
  record: CallRecord,
  endedAt: number,
): Promise<void> {
  const tapped = await tap.text();
  const content = body && (await readContent(call, body, tapped));
  const responses = record.errorCode === undefined ? `${tapped.head}\n${tapped.tail}` : "";
  const { finishReason, modelName } = getProfile(call.dialect).response;
  const { upstream, dialect, stream } = call;
  const responseModel = modelName.exec(responses)?.[1];
  const finishReasons = operation === "generate" ? findReasons(responses, finishReason, stream) : [];
  trace.end({ record, operation, dialect, upstream, responseModel, finishReasons, content }, endedAt);
}

/** Returns the reason of each choice of a response, or the last one of a stream. */
function findReasons(text: string, pattern: RegExp, isStream: boolean): string[] {
  const found = [...text.matchAll(pattern)].flatMap((match) => match.slice(1).find(Boolean) ?? []);
  return isStream ? found.slice(-1) : found;
}

async function readContent(call: Call, body: Buffer, tapped: TappedText): Promise<TracedContent | undefined> {
  const { tracedContent } = await import("./traced-content.ts");
  return tracedContent(call, body, tapped);
}
