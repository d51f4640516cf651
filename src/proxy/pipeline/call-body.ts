import { AppError } from "../../errors.ts";
import { describeExcess, type JsonBounds, type JsonExcess } from "../../json/bounds.ts";
import { readBody } from "../body/read-body.ts";
import { type ScannedBody, scanObject } from "../body/scan-body.ts";
import { beginUpload, type KeptFor, type Upload } from "../body/upload.ts";
import { readRequestJson } from "../translate/request/read-json.ts";
import type { Call } from "./call.ts";
import type { CalledOperation } from "./operation-path.ts";

/** A call's request body, read as far as routing needs it. */
export type CallBody =
  | { readonly kind: "none" }
  | { readonly kind: "json"; readonly bytes: Buffer; readonly scanned: ScannedBody }
  /** A form, whose content after the model can be streamed to the upstream. */
  | { readonly kind: "upload"; readonly upload: Upload };

const NO_BODY: CallBody = { kind: "none" };

/**
 * Reads a call's body: all of a JSON body, but a form only up to its `model` field, if it has one. Throws `media_type`
 * if a JSON route gets another type.
 */
export async function readCallBody(call: Call, called: CalledOperation): Promise<CallBody> {
  const { request, route } = call;
  const { limits } = call.runtime.config;
  call.stream = called.stream;
  const type = request.headers["content-type"];
  if (route.body === "streamed" && /^multipart\/form-data\b/i.test(type ?? "")) {
    const hold = (bytes: number, why: KeptFor) => holdMore(call, bytes, why);
    return { kind: "upload", upload: await beginUpload(request, { limit: limits.body, hold }) };
  }
  if (route.body === "ignored") return NO_BODY;
  if (type !== undefined && type !== "application/json" && !/^[\w.+-]+\/(?:[\w.+-]*\+)?json\b/i.test(type))
    throw new AppError("media_type", "The body must be JSON (content-type: application/json)");
  const bytes = await readBody(request, limits.body, { share: call.share, max: limits.inFlight });
  const scanning = scanObject(bytes);
  const scanned = scanning instanceof Promise ? await scanning : scanning;
  call.stream = called.stream || scanned.stream;
  call.excess = findBodyExcess(scanned);
  call.values = scanned.values;
  return { kind: "json", bytes, scanned };
}

/** Returns the model that a body names, or undefined. */
export function modelIn(body: CallBody): string | undefined {
  if (body.kind === "upload") return body.upload.model;
  return body.kind === "json" ? body.scanned.model : undefined;
}

/**
 * Returns the whole body; undefined if there is none. Throws as `Upload.whole` does for the rest of a form.
 */
export async function wholeBody(body: CallBody): Promise<Buffer | undefined> {
  if (body.kind === "upload") return body.upload.whole();
  return body.kind === "json" ? body.bytes : undefined;
}

/**
 * Reserves room for a kept chunk of an upload; returns false if there is none. Chunks that are kept only for another
 * attempt, which may never be made, get half of the room, so that other calls can use the rest.
 */
function holdMore(call: Call, bytes: number, why: KeptFor): boolean {
  const { inFlight } = call.runtime.config.limits;
  return call.share.take(bytes, why === "use" ? inFlight : inFlight / 2);
}

/**
 * Limits of a request body that is parsed. Most bodies in the native lane are not. A conversation of a million tokens
 * with hundreds of tools has about 100,000 values. More values would block the event loop for too long, because all of
 * them are parsed in one turn (bench/proxy/large-bodies.mjs).
 */
const BODY_BOUNDS: JsonBounds = { values: 130_000, depth: 256 };
/** Maximum number of members at the top level of a body; dialects define fewer than 100. */
const MAX_MEMBERS = 1_000;

/** The bound that a body exceeds. */
export type BodyExcess = JsonExcess | "members";

/**
 * Parses JSON that a client sent outside the body of its call, after checking its bounds. Throws as `scanObject`,
 * `refuseExcess` and `readRequestJson` do.
 */
export async function parseBounded(bytes: Buffer): Promise<unknown> {
  refuseExcess({ excess: findBodyExcess(await scanObject(bytes)) });
  return readRequestJson(bytes);
}

/** Returns the bound that a scanned body exceeds, or undefined. */
function findBodyExcess({
  values,
  depth,
  members,
}: Pick<ScannedBody, "values" | "depth" | "members">): BodyExcess | undefined {
  if (depth > BODY_BOUNDS.depth) return "depth";
  if (members > MAX_MEMBERS) return "members";
  return values > BODY_BOUNDS.values ? "values" : undefined;
}

/**
 * Throws `too_large`, or `validation` for the depth, if a call's body exceeds a bound. Call it before the body is
 * parsed.
 */
export function refuseExcess({ excess }: Pick<Call, "excess">): void {
  if (!excess) return;
  if (excess === "members")
    throw new AppError("too_large", `The body has more than ${MAX_MEMBERS} members at its top level`);
  const code = excess === "depth" ? "validation" : "too_large";
  throw new AppError(code, `The body ${describeExcess(excess, BODY_BOUNDS)}`);
}
