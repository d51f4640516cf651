import type { UpstreamConfig } from "../../config/proxy/config.ts";
import { getProfile } from "../dialects/index.ts";
import type { Dialect } from "../exchange/parts.ts";
import { capabilitiesFor } from "../models/capabilities-for.ts";
import type { Target } from "./select-targets.ts";

/** The upstreams with the responses dialect, by the configured upstreams of the same base URL. */
const responsesUpstreams = new WeakMap<UpstreamConfig, UpstreamConfig>();

/**
 * Returns the target of a call that may have tools. If the model needs the responses API for tools, and the call is
 * translated in any case, this is the same upstream with the responses dialect. Clients of that dialect keep the
 * configured one, because the proxy stores their conversations. `hasTools` is called only for such models.
 */
export function withToolsApi(target: Target, client: Dialect, hasTools: () => boolean): Target {
  const { upstream, model } = target;
  const { nativeUpstream } = getProfile(client);
  if (upstream.dialect !== "chat-completions") return target;
  if (nativeUpstream === "chat-completions" || nativeUpstream === "responses") return target;
  // The addresses of Azure's deployments have no responses API.
  if (upstream.platform?.kind === "azure" && upstream.platform.deployments) return target;
  const { vendor, capabilities } = upstream;
  const host = new URL(upstream.baseUrl).hostname;
  const { toolsNeedResponses } = capabilitiesFor(upstream.dialect, model, capabilities, { vendor, host });
  return toolsNeedResponses && hasTools() ? { ...target, upstream: toResponses(upstream) } : target;
}

function toResponses(upstream: UpstreamConfig): UpstreamConfig {
  const known = responsesUpstreams.get(upstream);
  if (known !== undefined) return known;
  const created: UpstreamConfig = { ...upstream, dialect: "responses" };
  responsesUpstreams.set(upstream, created);
  return created;
}
