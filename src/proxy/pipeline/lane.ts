import type { UpstreamConfig } from "../../config/proxy/config.ts";
import { findProfile, getProfile, getUpstreamProfile } from "../dialects/index.ts";
import type { Targets } from "../routing/select-targets.ts";
import { acceptsVersion } from "../upstream/request-headers.ts";
import type { Call } from "./call.ts";
import type { CalledOperation } from "./operation-path.ts";

/** How a call is served at a target. */
export type Lane = "native" | "translated" | "echo" | "estimate";

/** The result of serving a call in a lane. */
export type LaneResult =
  | { readonly kind: "done" }
  /** Nothing was sent to the client; the remaining targets need the call in another form. */
  | { readonly kind: "fallback"; readonly targets: Targets };

export const DONE: LaneResult = { kind: "done" };

/**
 * Returns the lane for a call's current target: `echo` for the built-in upstream, `native` if the upstream accepts
 * the client's bytes, `estimate` for a token count that the upstream cannot provide, and `translated` otherwise.
 */
export function chooseLane(call: Call, { operation }: CalledOperation): Lane {
  const { upstream } = call;
  if (upstream === undefined || upstream.dialect === "any") return "echo";
  const { dialect } = upstream;
  if (isNative(upstream, call, operation)) return "native";
  const canCount = getUpstreamProfile(dialect).createCountCall !== undefined;
  return operation !== "count-tokens" || canCount ? "translated" : "estimate";
}

/** Operations whose requests are specific to a dialect. */
const OWN_FORM = new Set<CalledOperation["operation"]>([
  "generate",
  "count-tokens",
  "stored-response",
  "compact",
]);

/**
 * Returns whether an upstream takes this call without translation. Images, audio and embeddings have the same format
 * at all upstreams of the OpenAI family. A request whose API version the upstream does not accept is translated.
 */
export function isNative(
  upstream: UpstreamConfig,
  { dialect: client, request }: Pick<Call, "dialect" | "request">,
  operation: CalledOperation["operation"],
): boolean {
  const { nativeUpstream, mediaForm } = getProfile(client);
  const version = findProfile(client)?.upstream?.versionHeader?.[0] ?? "";
  if (!OWN_FORM.has(operation))
    return mediaForm !== undefined && findProfile(upstream.dialect)?.mediaForm === mediaForm;
  return (
    upstream.dialect === nativeUpstream && acceptsVersion(upstream, request.headers[version]?.toString())
  );
}
