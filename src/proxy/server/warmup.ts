import { z } from "zod";
import type { UpstreamConfig } from "../../config/proxy/config.ts";
import { AppError, getErrorMessage } from "../../errors.ts";
import { getUpstreamProfile } from "../dialects/index.ts";
import type { UpstreamDialect } from "../exchange/parts.ts";
import { capabilitiesFor } from "../models/capabilities-for.ts";
import { NO_FACTS } from "../routing/call-facts.ts";
import { notServed } from "../routing/not-served.ts";
import type { Runtime } from "../runtime.ts";
import type { Services } from "../services.ts";
import { sendTo } from "../upstream/clients.ts";
import { requestHeaders } from "../upstream/request-headers.ts";
import { readText } from "../upstream/send.ts";

/** The body of `POST /internal/warmup`. */
export const warmupBody = z.object({ upstream: z.string().optional(), model: z.string().optional() });

export interface WarmupResult {
  readonly upstream: string;
  readonly ok: boolean;
  readonly ms: number;
  readonly error?: string;
}

/**
 * Opens a connection to one upstream or to all upstreams, except those of the dialect `any`, so that the first call
 * does not have to open one. With a model, sends the smallest possible call to the named upstream, or else to the
 * targets of the model. Throws `not_found` for an unknown upstream, and `model_not_found` if no upstream is named and
 * none serves the model.
 */
export async function warmUp(
  runtime: Runtime,
  services: Services,
  asked: z.infer<typeof warmupBody>,
): Promise<{ ok: boolean; results: readonly WarmupResult[] }> {
  const targets = await chosen(runtime, asked);
  const results = await Promise.all(
    targets.map(({ upstream, model }) => warmOne(runtime, services, upstream, model)),
  );
  return { ok: results.every((result) => result.ok), results };
}

interface WarmTarget {
  readonly upstream: UpstreamConfig;
  readonly model: string | undefined;
}

async function chosen(
  runtime: Runtime,
  { upstream, model }: z.infer<typeof warmupBody>,
): Promise<readonly WarmTarget[]> {
  const { upstreams } = runtime.config;
  if (upstream !== undefined) {
    const named = upstreams.get(upstream);
    if (named) return [{ upstream: named, model }];
    throw new AppError("not_found", `There is no upstream ${JSON.stringify(upstream)}`);
  }
  if (model === undefined) return [...upstreams.values()].map((each) => ({ upstream: each, model }));
  const selection = await runtime.selector.select(model, undefined, NO_FACTS);
  if (selection) return selection.targets;
  throw notServed(model);
}

async function warmOne(
  runtime: Runtime,
  services: Services,
  upstream: UpstreamConfig,
  model: string | undefined,
): Promise<WarmupResult> {
  const began = performance.now();
  const result = (error?: string): WarmupResult => {
    const ms = Math.round(performance.now() - began);
    return {
      upstream: upstream.name,
      ok: error === undefined,
      ms,
      error,
    };
  };
  const { dialect } = upstream;
  if (dialect === "any") return result();
  const { path, body } =
    model === undefined
      ? { path: "/models", body: null }
      : createSmallestCall({ ...upstream, dialect }, model);
  const headers = requestHeaders(upstream, upstream.keys[0], [
    ["content-type", "application/json"],
    ["accept-encoding", "identity"],
    ["x-sallyport-via", services.instanceId],
  ]);
  try {
    const response = await sendTo(services.pools, upstream, {
      method: body === null ? "GET" : "POST",
      path,
      headers,
      body,
      firstByteMs: 30_000,
      signal: AbortSignal.timeout(60_000),
    });
    await readText(response, upstream.name);
    return response.status < 400 ? result() : result(`it returned status ${response.status}`);
  } catch (error) {
    return result(runtime.redact(getErrorMessage(error)));
  }
}

/** Returns the smallest possible call in the upstream's dialect. */
function createSmallestCall(
  { dialect, vendor, capabilities }: UpstreamConfig & { readonly dialect: UpstreamDialect },
  model: string,
): { path: string; body: string } {
  const { maxTokensName } = capabilitiesFor(dialect, model, capabilities, { vendor });
  const { path, body } = getUpstreamProfile(dialect).createSmallestCall(model, maxTokensName);
  return { path, body: JSON.stringify(body) };
}
