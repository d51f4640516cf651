import { AppError } from "../../errors.ts";
import { findProfile, getProfile } from "../dialects/index.ts";
import type { Dialect } from "../exchange/parts.ts";
import { factsOf } from "../routing/call-facts.ts";
import { notServed } from "../routing/not-served.ts";
import type { Places, Selection } from "../routing/select-targets.ts";
import { asksToCompact } from "../translate/conversations/compaction.ts";
import { refuseExcess } from "./body-bounds.ts";
import type { Call } from "./call.ts";
import type { CalledOperation } from "./operation-path.ts";

/** Of a model's name, which goes into logs, metrics and paths. */
const LONGEST_MODEL = 512;

/** Where a call is served, in the order in which places are asked. Throws `model_not_found`. */
export function chooseUpstream(
  call: Call,
  operation: CalledOperation["operation"],
  model: string | undefined,
  body: Buffer | undefined,
): Places | Promise<Places> {
  if (model !== undefined && model.length > LONGEST_MODEL)
    throw new AppError("validation", `The model's name is longer than ${LONGEST_MODEL} characters`);
  call.model = model;
  const facts = () => factsOf(call.request.headers, body, () => refuseExcess(call));
  const selected = call.runtime.selector.select(model, call.dialect, facts);
  const choose = (selection: Selection | undefined): Places => {
    if (!selection) throw notFound(call.model);
    call.rule = selection.rule;
    const places = ableToCompact(selection.places, operation, body);
    return goTo(call, call.services.rests.awakeFirst(places));
  };
  return selected instanceof Promise ? selected.then(choose) : choose(selected);
}

/**
 * Where a conversation can be compacted, if that is what the call asks for. Of a rule whose first upstream can, the others
 * are left out that cannot: that they cannot would be told of a moment when the first has no room.
 */
function ableToCompact(
  places: Places,
  operation: CalledOperation["operation"],
  body: Buffer | undefined,
): Places {
  const [first, ...others] = places;
  if (others.length === 0 || !canCompact(first.upstream.dialect) || !asksToCompact(operation, body))
    return places;
  return [first, ...others.filter(({ upstream }) => canCompact(upstream.dialect))];
}

function canCompact(dialect: string): boolean {
  return findProfile(dialect)?.upstream?.compactsConversations === true;
}

/** Has the call be one at the first of these places, from now on. */
export function goTo(call: Call, places: Places): Places {
  const [{ upstream, model }] = places;
  call.upstream = upstream;
  call.upstreamModel = model;
  return places;
}

function notFound(model: string | undefined): AppError {
  if (model !== undefined) return notServed(model);
  return new AppError("model_not_found", "The call names no model, and no upstream speaks its dialect");
}

/** What each dialect has a form of its own for. */
const OWN_FORM = new Set<CalledOperation["operation"]>([
  "generate",
  "count-tokens",
  "stored-response",
  "compact",
]);

/**
 * Whether an upstream takes this call as it is. Images, audio and embeddings have one form at all upstreams of the
 * OpenAI family.
 */
export function isNative(
  upstream: string,
  client: Dialect,
  operation: CalledOperation["operation"],
): boolean {
  const { nativeUpstream, mediaForm } = getProfile(client);
  if (OWN_FORM.has(operation)) return upstream === nativeUpstream;
  return mediaForm !== undefined && findProfile(upstream)?.mediaForm === mediaForm;
}
