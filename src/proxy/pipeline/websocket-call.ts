import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { ProxyKey } from "../../config/proxy/config.ts";
import type { AppError } from "../../errors.ts";
import { asObject, isObject, tryParseJson } from "../exchange/json.ts";
import type { Dialect } from "../exchange/parts.ts";
import type { Usage } from "../exchange/response.ts";
import type { Route } from "../routes.ts";
import type { Target } from "../routing/select-targets.ts";
import type { Services } from "../services.ts";
import { computeCost } from "../usage/cost.ts";

/** A request for a WebSocket that has passed admission. */
export interface AdmittedUpgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly route: Route & { readonly dialect: Dialect };
  readonly key: ProxyKey | undefined;
  /** Returns whether the client may still open the WebSocket: its key can be revoked or expire. */
  readonly isStillAdmitted: () => boolean;
}

/** Counts the usage of one relayed WebSocket, and records the connection when it ends. */
export class WebSocketCall {
  private readonly id: string;
  private readonly startedAt = performance.now();
  private input = 0;
  private output = 0;
  private isCounted = false;

  constructor(
    private readonly services: Services,
    private readonly upgrade: AdmittedUpgrade,
    private readonly target: Target,
    private readonly model: string | undefined,
  ) {
    this.id = services.nextRequestId();
    services.metrics.begin();
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
    const { request, route, key } = this.upgrade;
    const { services, model } = this;
    const { upstream } = this.target;
    const upstreamModel = model === undefined ? undefined : this.target.model;
    const runtime = services.runtime();
    const usage: Usage | undefined = this.isCounted
      ? { input: { total: this.input }, output: { total: this.output } }
      : undefined;
    const record = {
      time: new Date().toISOString(),
      id: this.id,
      key: key?.name,
      keyId: key?.id,
      team: key?.team,
      tags: key?.tags,
      client: runtime.forwarding.client(request.socket.remoteAddress, request.headers),
      method: "GET",
      route: route.path,
      model,
      upstream: upstream.name,
      upstreamModel,
      status: error?.status ?? 101,
      ms: Math.round(performance.now() - this.startedAt),
      firstByteMs: undefined,
      stream: true,
      retries: 0,
      usage,
      cost: computeCost(usage, upstream, upstreamModel),
      losses: [],
      errorCode: error?.code,
      errorMessage: error && runtime.redact(error.message),
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
    input: Number(found["input_tokens"] ?? found["promptTokenCount"] ?? 0),
    output: Number(found["output_tokens"] ?? found["responseTokenCount"] ?? 0),
  };
}
