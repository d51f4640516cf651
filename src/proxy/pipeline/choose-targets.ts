import type { UpstreamConfig } from "../../config/proxy/config.ts";
import { AppError } from "../../errors.ts";
import { findProfile, getProfile } from "../dialects/index.ts";
import { collectCallFacts } from "../routing/call-facts.ts";
import { notServed } from "../routing/not-served.ts";
import type { CallFacts, Target, Targets } from "../routing/select-targets.ts";
import { asksToCompact } from "../translate/conversations/compaction.ts";
import { findModelData, setModelLookup } from "../usage/cost.ts";
import type { Call } from "./call.ts";
import { type CallBody, modelIn, refuseExcess } from "./call-body.ts";
import { readCapabilities } from "./estimate-reservation.ts";
import type { CalledOperation } from "./operation-path.ts";

/** Maximum length of a model's name, in characters: it goes into logs, metrics and paths. */
const MAX_MODEL_LENGTH = 512;

/**
 * Chooses the targets of a call, in the order in which they are tried. Throws `model_not_found` if there is none,
 * `validation` if a compaction names no model or the name is too long, and the errors of `refuseExcess`.
 */
export async function chooseTargets(call: Call, called: CalledOperation, body: CallBody): Promise<Targets> {
  const model = called.model ?? modelIn(body);
  if (model !== undefined && model.length > MAX_MODEL_LENGTH)
    throw new AppError("validation", `The model's name is longer than ${MAX_MODEL_LENGTH} characters`);
  // Without this check, any upstream could receive the request for a summary.
  if (called.operation === "compact" && model === undefined)
    throw new AppError("validation", "Missing required parameter: 'model'.");
  call.model = model;
  const bytes = body.kind === "json" ? body.bytes : undefined;
  let collected: CallFacts | undefined;
  const facts = () => {
    collected ??= collectCallFacts(call.request.headers, bytes, () => refuseExcess(call));
    return collected;
  };
  const selection = await call.runtime.selector.select(model, call.dialect, facts);
  if (!selection) throw notFound(model, call.dialect);
  call.rule = selection.rule;
  call.on = selection.on;
  const able = ableToCompact(withApis(selection.targets, call, called, facts), called.operation, bytes);
  return setTargets(call, call.services.cooldowns.availableFirst(able));
}

/**
 * Returns each target with the API of its upstream that the call needs (`withToolsApi`). Clients of the responses
 * dialect keep the configured one, because the proxy stores their conversations.
 */
function withApis(
  targets: Targets,
  { dialect }: Call,
  { operation }: CalledOperation,
  facts: () => CallFacts,
): Targets {
  if (operation !== "generate" && operation !== "count-tokens") return targets;
  const { nativeUpstream, storesResponses } = getProfile(dialect);
  if (storesResponses || targets.every(({ upstream }) => upstream.dialect === nativeUpstream)) return targets;
  const suited = (target: Target) =>
    target.upstream.dialect === nativeUpstream ? target : withToolsApi(target, () => facts().hasTools());
  const [first, ...others] = targets;
  return [suited(first), ...others.map(suited)];
}

/** Copies of upstreams with the responses dialect, keyed by the configured upstream. */
const responsesUpstreams = new WeakMap<UpstreamConfig, UpstreamConfig>();

/**
 * Returns the target of a translated call that may have tools. If the model needs the responses API for tools, this is
 * the same upstream with the responses dialect. `hasTools` is called only for such models.
 */
function withToolsApi(target: Target, hasTools: () => boolean): Target {
  const { upstream } = target;
  if (upstream.dialect === "any") return target;
  // The addresses of Azure's deployments have no responses API.
  if (upstream.platform?.kind === "azure" && upstream.platform.deployments) return target;
  const { toolsNeedResponses } = readCapabilities(target, upstream.dialect);
  return toolsNeedResponses && hasTools() ? { ...target, upstream: toResponses(upstream) } : target;
}

function toResponses(upstream: UpstreamConfig): UpstreamConfig {
  const known = responsesUpstreams.get(upstream);
  if (known !== undefined) return known;
  const created: UpstreamConfig = { ...upstream, dialect: "responses" };
  // The model data of the configured upstream can be loaded later.
  setModelLookup(created, (model) => findModelData(upstream, model));
  responsesUpstreams.set(upstream, created);
  return created;
}

/**
 * Returns only the targets that can compact a conversation, if the call requests that and the first target can. An
 * error of any other target would hide that the first one is only rate-limited.
 */
function ableToCompact(
  targets: Targets,
  operation: CalledOperation["operation"],
  body: Buffer | undefined,
): Targets {
  const [first, ...others] = targets;
  if (others.length === 0 || !canCompact(first.upstream.dialect) || !asksToCompact(operation, body))
    return targets;
  return [first, ...others.filter(({ upstream }) => canCompact(upstream.dialect))];
}

function canCompact(dialect: string): boolean {
  return findProfile(dialect)?.upstream?.compactsConversations === true;
}

/** Records the first of these targets as the call's current one, and returns them. */
export function setTargets(call: Call, targets: Targets): Targets {
  const [{ upstream, model }] = targets;
  call.upstream = upstream;
  call.upstreamModel = model;
  return targets;
}

function notFound(model: string | undefined, dialect: string): AppError {
  if (model !== undefined) return notServed(model);
  return new AppError(
    "model_not_found",
    `The call names no model, and no upstream has its dialect ${dialect}. Name a model, or add such an upstream to proxy.upstreams.`,
  );
}
