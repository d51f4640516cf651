import { AppError } from "../../errors.ts";
import { getPath } from "../../http/request-path.ts";
import type { Call } from "./call.ts";
import type { CallBody } from "./call-body.ts";
import { hasBudget } from "./estimate-reservation.ts";
import type { CalledOperation } from "./operation-path.ts";

/**
 * Matches the paths of files and of uploads in parts. These calls use no model, and the vendors do not charge for them.
 */
const FREE_PATH = /^\/(?:upload\/|download\/)?v1(?:beta)?\/(?:files|uploads)(?:\/|$)/;

/**
 * Throws `model_not_allowed` if the key does not allow the model, or if the key's models or a budget cannot be
 * enforced, because a call other than GET and HEAD names no model.
 */
export function expectAllowed(call: Call, called: CalledOperation, body: CallBody, path: string): void {
  const { key, services } = call;
  if (key?.models !== undefined) services.limiter.expectAllowedModel(call, called, body);
  const usesBudget = hasBudget(key?.subjects ?? []) && !FREE_PATH.test(path);
  if (isRead(call) || call.model !== undefined || (key?.models === undefined && !usesBudget)) return;
  throw new AppError(
    "model_not_allowed",
    `The list of models of the key ${JSON.stringify(key?.name)}, or the budget of the key or its team, cannot be enforced at ${path}, because the call names no model. Use a key without these limits.`,
  );
}

/**
 * Returns the call with the operation that determines the reserved tokens: `generate` (input and output) for an
 * interaction, the unchanged operation (none) for reads and files, and `embed` (input only) for all other calls.
 */
export function withCosts(call: Call, called: CalledOperation, path: string): CalledOperation {
  if (isRead(call) || FREE_PATH.test(path)) return called;
  return { ...called, operation: isInteraction(call) ? "generate" : "embed" };
}

/** Returns whether a call creates an interaction, which generates output like a model call. */
export function isInteraction({ request: { method, url = "" } }: Call): boolean {
  return method === "POST" && getPath(url) === "/v1beta/interactions";
}

/** Returns whether a call only reads. */
export function isRead({ request: { method } }: Call): boolean {
  return method === "GET" || method === "HEAD";
}
