import { AppError } from "../../errors.ts";
import { describeExcess, type JsonBounds, type JsonExcess } from "../../json/bounds.ts";
import type { ScannedBody } from "../body/scan-body.ts";
import type { Call } from "./call.ts";

/**
 * What a request body may hold where it is parsed: to be translated, counted or judged by a rule. Bodies in the native
 * lane are not parsed. A conversation of a million tokens with hundreds of tools has about half as many values.
 */
export const BODY_BOUNDS: JsonBounds = { values: 200_000, depth: 256 };
/** Members of the body itself; dialects know fewer than 100. */
const MAX_MEMBERS = 1_000;

/** The bound that a body exceeds. */
export type BodyExcess = JsonExcess | "members";

/** Returns the bound that a scanned body exceeds, or undefined. */
export function findBodyExcess(
  scanned: Pick<ScannedBody, "values" | "depth" | "members">,
): BodyExcess | undefined {
  if (scanned.depth > BODY_BOUNDS.depth) return "depth";
  if (scanned.members > MAX_MEMBERS) return "members";
  return scanned.values > BODY_BOUNDS.values ? "values" : undefined;
}

/**
 * Throws `too_large` or, for its depth, `validation` where a call's body exceeds a bound. To be called before the body is
 * parsed.
 */
export function refuseExcess({ excess }: Pick<Call, "excess">): void {
  if (!excess) return;
  if (excess === "members")
    throw new AppError("too_large", `The body has more than ${MAX_MEMBERS} members at its top level`);
  const code = excess === "depth" ? "validation" : "too_large";
  throw new AppError(code, `The body ${describeExcess(excess, BODY_BOUNDS)}`);
}
