import type { Subject } from "../../config/proxy/limits.ts";
import { AppError } from "../../errors.ts";
import type { Capabilities } from "../exchange/capabilities.ts";
import type { UpstreamDialect } from "../exchange/parts.ts";
import { capabilitiesFor } from "../models/capabilities-for.ts";
import type { Target } from "../routing/select-targets.ts";
import { countImageCalls, countSeparateCalls } from "../translate/request/separate-candidates.ts";
import { parseBaseUrl } from "../upstream/clients.ts";
import { estimateMicros, findModelData, findPrice } from "../usage/cost.ts";
import { type CallEstimate, estimateCall, estimateUpload } from "../usage/estimate-call.ts";
import type { Call } from "./call.ts";
import type { CallBody } from "./call-body.ts";
import { isNative } from "./lane.ts";
import type { CalledOperation } from "./operation-path.ts";

/**
 * Output tokens that are reserved if the client sets no maximum. The estimate of the cost uses the model's maximum
 * instead, if it is known.
 */
const DEFAULT_OUTPUT = 1_024;

/** The tokens that a call may use, and its operation, which determines how its upstream calls divide them. */
export interface Estimate extends CallEstimate {
  readonly operation: CalledOperation["operation"];
}

/** The estimate of a call without limits of tokens or money. */
export const NOTHING: Estimate = { input: 0, output: 0, candidates: 1, operation: "count-tokens" };

/** Bytes of an upload that are read before the call, to find the number of images that it requests. */
const UPLOAD_BEGINNING = 1024 * 1024;

/** Estimates the tokens of a call: none for token counts, stored responses and bodies other than JSON and uploads. */
export async function estimateFor(
  call: Call,
  { operation }: CalledOperation,
  body: CallBody,
): Promise<Estimate> {
  if (body.kind === "upload") {
    const { bytes, length = bytes.length } = await body.upload.readTo(UPLOAD_BEGINNING);
    const kind = operation === "transcription" ? "audio" : "image";
    return { ...estimateUpload(kind, bytes, length), operation };
  }
  if (operation === "count-tokens" || operation === "stored-response" || body.kind !== "json")
    return { ...NOTHING, operation };
  const estimate = estimateCall(body.bytes, call.excess === undefined);
  if (operation === "embed") return { ...NOTHING, input: estimate.input, operation };
  return { ...estimate, operation };
}

/** Returns the number of upstream calls that generate the candidates or images at a target. */
export function countCalls(call: Call, target: Target, { candidates, operation }: Estimate): number {
  const { dialect } = target.upstream;
  if (candidates === 1 || dialect === "any" || isNative(target.upstream, call, operation)) return 1;
  if (operation === "image-generation" || operation === "image-edit")
    return countImageCalls(candidates, target.model);
  if (operation !== "generate") return 1;
  return countSeparateCalls(candidates, dialect, readCapabilities(target, dialect));
}

/** Returns the maximum tokens of all upstream calls. Each of several calls has the whole input and one candidate. */
export function sumTokens({ input, output = DEFAULT_OUTPUT, candidates }: Estimate, calls: number): number {
  return calls * input + (calls > 1 ? calls : candidates) * output;
}

/** The estimated maximum cost of a call, and the part of it for the input, in microdollars. */
export interface EstimatedCost {
  readonly total: number;
  readonly input: number;
}

export const NO_COST: EstimatedCost = { total: 0, input: 0 };

/**
 * Estimates the maximum cost of a call at a target; zero if no subject has a budget or the price is not known. Throws
 * `model_not_allowed` if the price is not known and the configuration rejects such calls.
 */
export function estimateCost(
  call: Call,
  subjects: readonly Subject[],
  target: Target,
  { operation, input, output, candidates }: Estimate,
  calls: number,
): EstimatedCost {
  if (!hasBudget(subjects)) return NO_COST;
  const price = findPrice(target.upstream, target.model);
  if (price === undefined) {
    const isFree = operation === "count-tokens" || operation === "stored-response";
    if (!isFree) expectPrice(call, subjects, target);
    return NO_COST;
  }
  const outputOfCall = (calls > 1 ? 1 : candidates) * (output ?? longestOutput(target));
  return {
    total: calls * estimateMicros(price, input, outputOfCall),
    input: calls * estimateMicros(price, input, 0),
  };
}

/**
 * Throws `model_not_allowed` if a subject has a budget, the price of the target's model is not known and the
 * configuration rejects such calls.
 */
export function expectPrice(call: Call, subjects: readonly Subject[], { upstream, model }: Target): void {
  if (call.runtime.config.unpriced !== "refuse" || !hasBudget(subjects) || upstream.dialect === "any") return;
  if (findPrice(upstream, model) !== undefined) return;
  throw new AppError(
    "model_not_allowed",
    `The model ${JSON.stringify(model.slice(0, 200))} has no price, and the key ${JSON.stringify(call.key?.name)} or its team has a budget. Set its price under proxy.upstreams.${upstream.name}.prices.`,
  );
}

/** Returns whether a subject has a budget. */
export function hasBudget(subjects: readonly Subject[]): boolean {
  return subjects.some(({ limits }) => (limits.budgets?.length ?? 0) > 0);
}

function longestOutput(target: Target): number {
  const { dialect } = target.upstream;
  return dialect === "any"
    ? DEFAULT_OUTPUT
    : (readCapabilities(target, dialect).maxOutputTokens ?? DEFAULT_OUTPUT);
}

/** Returns the capabilities of a target's model, without those of an API version. */
export function readCapabilities({ upstream, model }: Target, dialect: UpstreamDialect): Capabilities {
  const host = parseBaseUrl(upstream.baseUrl).hostname;
  const at = { vendor: upstream.vendor, host, data: findModelData(upstream, model) };
  return capabilitiesFor(dialect, model, upstream.capabilities, at);
}
