import type { IncomingHttpHeaders } from "node:http";
import type { UpstreamConfig } from "../../config/proxy/config.ts";
import { AppError } from "../../errors.ts";
import { findProfile, getProfile } from "../dialects/index.ts";
import type { Dialect } from "../exchange/parts.ts";
import type { CallFacts, Target } from "../routing/select-targets.ts";
import type { Runtime } from "../runtime.ts";

/** The request header by which a client chooses among several upstreams. */
const UPSTREAM_HEADER = "x-sallyport-upstream";

/** A request to relay to an upstream: for a path that serves no model calls, or for a WebSocket. */
interface PassedRequest {
  /** The kind of request, for error messages. */
  readonly what: "path" | "WebSocket";
  readonly headers: IncomingHttpHeaders;
  readonly dialect: Dialect;
  /** The model that the request names, if it names one. */
  readonly model: string | undefined;
  readonly facts: () => CallFacts;
  /** Returns whether an upstream of the client's vendor may be used. */
  readonly isAble?: (upstream: UpstreamConfig) => boolean;
}

/**
 * Returns the upstream that a request is passed on to: the one that the client names, or the one that serves the model,
 * or the first one of the client's vendor, in this order. Throws `not_found` if there is none, or if the named one
 * cannot serve the request.
 */
export async function choosePassThroughTarget(
  { config, selector }: Runtime,
  { what, headers, dialect, model, facts, isAble = () => true }: PassedRequest,
): Promise<Target> {
  const able = [...config.upstreams.values()].filter(
    (upstream) => takesClient(upstream, dialect) && isAble(upstream),
  );
  const wanted = headers[UPSTREAM_HEADER]?.toString();
  if (wanted !== undefined) {
    const named = able.find(({ name }) => name === wanted);
    if (named !== undefined) return { upstream: named, model: model ?? "" };
    throw new AppError(
      "not_found",
      `No upstream ${JSON.stringify(wanted.slice(0, 100))} can serve this ${what}`,
    );
  }
  const selection = model === undefined ? undefined : await selector.select(model, dialect, facts);
  const serving = selection?.targets.find(({ upstream }) => able.includes(upstream));
  if (serving !== undefined) return serving;
  const [first] = able;
  if (first !== undefined) return { upstream: first, model: model ?? "" };
  const { nativeUpstream } = getProfile(dialect);
  throw new AppError(
    "not_found",
    `No upstream can serve this ${what}. Add an upstream of the dialect ${nativeUpstream} to proxy.upstreams.`,
  );
}

/**
 * Returns whether an upstream belongs to the client's vendor or is compatible with it. Amazon Bedrock and Vertex AI
 * have other paths.
 */
export function takesClient({ dialect, platform }: UpstreamConfig, client: Dialect): boolean {
  if (dialect === "any" || platform?.kind === "bedrock" || platform?.kind === "vertex") return false;
  const { nativeUpstream, mediaForm } = getProfile(client);
  if (dialect === nativeUpstream) return true;
  return mediaForm === "openai" && findProfile(dialect)?.mediaForm === "openai";
}
