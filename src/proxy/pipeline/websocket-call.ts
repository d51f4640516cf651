import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { ProxyKey } from "../../config/proxy/config.ts";
import type { AppError } from "../../errors.ts";
import { asObject, isObject, tryParseJson } from "../exchange/json.ts";
import type { Dialect } from "../exchange/parts.ts";
import type { Usage } from "../exchange/response.ts";
import { toCount } from "../exchange/usage.ts";
import type { Route } from "../routes.ts";
import type { Target } from "../routing/select-targets.ts";
import type { Runtime } from "../runtime.ts";
import type { Admission } from "../server/admission.ts";
import type { Services } from "../services.ts";
import { computeCost } from "../usage/cost.ts";
import type { CallLimits } from "./call-limits.ts";
import type { LimitedWebSocket } from "./limit-websocket.ts";

/** A request for a WebSocket that has passed admission. */
export interface AdmittedUpgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly route: Route & { readonly dialect: Dialect };
  readonly key: ProxyKey | undefined;
  /** Runs admission again, because the key of an open WebSocket can change, be revoked or expire. */
  readonly admitAgain: () => Admission;
}

/** Counts one relayed WebSocket and its usage, and records the connection when it ends. */
export class WebSocketCall implements LimitedWebSocket {
  readonly id: string;
  readonly runtime: Runtime;
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly route: Route;
  readonly key: ProxyKey | undefined;
  readonly client: string;
  readonly stream = true;
  limits: CallLimits | undefined;
  private target: Target | undefined;
  private readonly startedAt = performance.now();
  private input = 0;
  private output = 0;
  private isCounted = false;

  constructor(
    private readonly services: Services,
    { request, socket, route, key }: AdmittedUpgrade,
    readonly model: string | undefined,
  ) {
    this.id = services.nextRequestId();
    this.runtime = services.runtime();
    this.request = request;
    this.socket = socket;
    this.route = route;
    this.key = key;
    this.client = this.runtime.forwarding.client(request.socket.remoteAddress, request.headers);
    services.metrics.begin();
  }

  /**
   * Sets the upstream, and counts the WebSocket against the limits of its key, team and upstream. Throws `rate_limited`
   * if it does not fit.
   */
  async begin(target: Target): Promise<void> {
    this.target = target;
    if (this.key?.subjects === undefined && target.upstream.subject === undefined) return;
    await this.services.limiter.reserveWebSocket(this, target);
  }

  /** Adds the usage that a message reports. */
  observe(data: string | Buffer): void {
    const text = data.toString();
    if (!/"usage(?:Metadata)?"/.test(text)) return;
    const usage = findUsage(text);
    if (usage === undefined) return;
    this.isCounted = true;
    this.input += usage.input;
    this.output += usage.output;
  }

  /** Records the connection: as closed, or as not opened because of `error`. */
  end(error?: AppError): void {
    const { services, key, model, target } = this;
    const upstreamModel = model === undefined ? undefined : target?.model;
    const usage: Usage | undefined = this.isCounted
      ? { input: { total: this.input }, output: { total: this.output } }
      : undefined;
    const cost = target && computeCost(usage, target.upstream, upstreamModel);
    // WebSockets count only toward `rpm` and `concurrency`: the tokens of hours would block an upstream's `tpm` at once.
    if (this.limits !== undefined) services.limiter.settle(this.limits, undefined, cost);
    const record = {
      time: new Date().toISOString(),
      id: this.id,
      key: key?.name,
      keyId: key?.id,
      team: key?.team,
      tags: key?.tags,
      client: this.client,
      method: "GET",
      route: this.route.path,
      model,
      upstream: target?.upstream.name,
      upstreamModel,
      status: error?.status ?? 101,
      ms: Math.round(performance.now() - this.startedAt),
      firstByteMs: undefined,
      stream: this.stream,
      retries: 0,
      usage,
      cost,
      losses: [],
      errorCode: error?.code,
      errorMessage: error && services.runtime().redact(error.message),
    };
    services.metrics.end(record);
    services.log.add(record);
  }
}

/** Returns the tokens in `response.done` of OpenAI, or in `usageMetadata` of Google. */
function findUsage(text: string): { readonly input: number; readonly output: number } | undefined {
  const { type, response, usageMetadata } = asObject(tryParseJson(text));
  const ofOpenAi = type === "response.done" ? asObject(response)["usage"] : undefined;
  const found = isObject(ofOpenAi) ? ofOpenAi : usageMetadata;
  if (!isObject(found)) return undefined;
  return {
    input: toCount(found["input_tokens"] ?? found["promptTokenCount"]) ?? 0,
    output: toCount(found["output_tokens"] ?? found["responseTokenCount"]) ?? 0,
  };
}
