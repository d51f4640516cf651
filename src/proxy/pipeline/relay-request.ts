import { type ScannedBody, scanObject, withModel } from "../body/scan-body.ts";
import type { SentUpload } from "../body/upload.ts";
import { getProfile } from "../dialects/index.ts";
import type { Dialect } from "../exchange/parts.ts";
import type { Targets } from "../routing/select-targets.ts";
import { withoutForeignThinking } from "../translate/request/foreign-thinking.ts";
import type { RelayedRequest } from "../upstream/clients.ts";
import { viaHeader } from "../upstream/request-headers.ts";
import type { Call } from "./call.ts";
import type { CallBody } from "./call-body.ts";

/** An upload, and whether it can be sent again. */
export interface RepeatableUpload {
  readonly isRepeatable: () => boolean;
  /** Returns the upload from its beginning. */
  readonly send: () => SentUpload;
}

/** A whole body, an upload that is being received, or null for no body. */
export type NativeBody = Buffer | RepeatableUpload | null;

/**
 * Returns the body of a native call: the client's bytes, except that the model's name is replaced by the target's,
 * thinking blocks of other vendors are removed, and summaries that the proxy requested become messages. Returns a
 * promise only if the body may contain such blocks or summaries.
 */
export function nativeBody(call: Call, body: CallBody, targets: Targets): NativeBody | Promise<NativeBody> {
  const [{ upstream, model }, ...others] = targets;
  if (body.kind === "none") return null;
  if (body.kind === "upload") {
    const { upload } = body;
    const name = upload.model === model ? undefined : model;
    const isKept = others.length > 0 || upstream.keys.length > 1;
    return {
      isRepeatable: () => upload.isRepeatable,
      send: () => upload.send(name, isKept),
    };
  }
  const { bytes, scanned } = body;
  // Removing thinking blocks requires parsing. A body that exceeds a bound keeps them, and the vendor rejects it.
  const cleaned = call.excess ? bytes : withoutForeignThinking(call.dialect, bytes);
  return cleaned === bytes
    ? renamed(call.dialect, bytes, scanned, model)
    : scanAndRename(call.dialect, cleaned, model);
}

async function scanAndRename(
  dialect: Dialect,
  body: Buffer | Promise<Buffer>,
  model: string,
): Promise<Buffer> {
  const bytes = await body;
  return renamed(dialect, bytes, await scanObject(bytes), model);
}

/** Returns a body with the target's name for the model, if the body names one. */
function renamed(
  dialect: Dialect,
  bytes: Buffer,
  { model: named, modelRanges }: ScannedBody,
  model: string,
): Buffer {
  const name = nameInBody(dialect, named, model);
  return named === undefined || named === name ? bytes : withModel(bytes, modelRanges, name);
}

/** Returns the upstream's name for the model as the body must contain it. Google's clients may add a prefix. */
function nameInBody(dialect: Dialect, named: string | undefined, model: string): string {
  const { modelPrefix = "" } = getProfile(dialect).client;
  return named !== model && named?.startsWith(modelPrefix) ? `${modelPrefix}${model}` : model;
}

/** Returns whether a body can be sent again. */
export function isRepeatable(body: NativeBody): boolean {
  return body === null || Buffer.isBuffer(body) || body.isRepeatable();
}

/** Returns the request for one attempt at the call's current upstream. */
export function nativeRequest(
  call: Call,
  path: string,
  body: NativeBody,
  key: string | undefined,
): RelayedRequest {
  const { method = "", headers, rawHeaders } = call.request;
  const isWhole = body === null || Buffer.isBuffer(body);
  const sent = isWhole ? { stream: body, length: undefined } : body.send();
  return {
    method,
    path,
    rawHeaders,
    body: sent.stream,
    needs: {
      key,
      isShared: call.runtime.isShared,
      clientKey: call.upstream?.credentials === "client" ? keyInQuery(call) : undefined,
      via: viaHeader(headers, call.services.instanceId),
      // A compressed stream cannot be inspected, and no keep-alives can be inserted.
      acceptEncoding: call.stream ? undefined : headers["accept-encoding"]?.toString(),
      contentLength: sent.length,
      contentCoding: isWhole ? undefined : headers["content-encoding"],
      keys: call.runtime.keys,
      traceparent: call.observation?.trace?.traceparent(),
    },
  };
}

/**
 * Returns the `?key=` of a generative-language client; undefined if there is none, if a header carries the key, or if
 * the key is the proxy's own.
 */
function keyInQuery({ dialect, request, runtime }: Call): string | undefined {
  const { url = "", headers } = request;
  const { client, upstream } = getProfile(dialect);
  if (!client.acceptsKeyInQuery || headers[upstream?.keyHeader.name ?? ""] !== undefined) return undefined;
  const key = new URLSearchParams(url.slice(url.indexOf("?") + 1)).get("key");
  return key && runtime.keys.find([key]) === undefined ? key : undefined;
}
