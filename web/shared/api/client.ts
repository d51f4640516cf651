import type { ErrorResponse } from "../../../src/review/api-types.ts";
import { pageTokenHeader } from "./page-token.ts";

/**
 * The result of a call. `gone`: no complete response. `absent`: the server has no such route. `refused`: an
 * error response.
 */
export type Result<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: "gone" }
  | { readonly ok: false; readonly reason: "absent" }
  | {
      readonly ok: false;
      readonly reason: "refused";
      readonly status: number;
      readonly message: string;
      readonly body: unknown;
    };

interface CallOptions {
  readonly signal?: AbortSignal;
  /** Whether the request is completed even if the page closes; only for small requests. */
  readonly keepalive?: boolean;
}

/** Fetches a JSON value. Errors are returned, not thrown. */
export const getJson = <Value>(path: string, options: CallOptions = {}) => call<Value>(path, options);

/** Sends a JSON value and returns the parsed response. Errors are returned, not thrown. */
export function sendJson<Value>(
  method: "POST" | "PUT" | "PATCH",
  path: string,
  body: unknown,
  options: CallOptions = {},
) {
  const headers = { "content-type": "application/json", ...pageTokenHeader() };
  return call<Value>(path, { ...options, method, headers, body: JSON.stringify(body) });
}

/** Uploads one image. The server validates the image's bytes. */
export function sendFile<Value>(path: string, file: Blob, name: string): Promise<Result<Value>> {
  const form = new FormData();
  form.append("file", file, name);
  return call<Value>(path, { method: "POST", body: form });
}

/** Returns the error message for a failed call, as a sentence that another one can follow. */
export function explain(result: Exclude<Result<unknown>, { ok: true }>): string {
  if (result.reason === "refused")
    return /[.!?…]$/.test(result.message) ? result.message : `${result.message}.`;
  if (result.reason === "absent") return "This server does not support the request. Reload the page.";
  return "Can't reach Sallyport. It may have been stopped.";
}

/**
 * Sends a request. Errors are returned. If a successful response is not JSON, the server has sent the page itself, so
 * it has no such route. Any other response that is not JSON comes from a proxy that cannot reach the server.
 */
async function call<Value>(path: string, init: RequestInit): Promise<Result<Value>> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch {
    return { ok: false, reason: "gone" };
  }
  if (!response.headers.get("content-type")?.includes("json"))
    return { ok: false, reason: response.ok ? "absent" : "gone" };
  try {
    const body: unknown = await response.json();
    if (response.ok) return { ok: true, value: body as Value };
    return { ok: false, reason: "refused", status: response.status, message: messageIn(body), body };
  } catch {
    return { ok: false, reason: "gone" };
  }
}

function messageIn(body: unknown): string {
  const error = (body as Partial<ErrorResponse> | null)?.error;
  return typeof error === "string" ? error : "The server rejected the request without a reason.";
}
