import { getUpstreamProfile } from "../../dialects/index.ts";
import type { Capabilities } from "../../exchange/capabilities.ts";
import type { ExchangeEvent } from "../../exchange/event.ts";
import { type Converted, createLossList, type Loss } from "../../exchange/loss.ts";
import { memberCode } from "../../exchange/loss-codes.ts";
import type { Part, UpstreamDialect } from "../../exchange/parts.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";
import type { ExchangeResponse } from "../../exchange/response.ts";
import type { Steps } from "../../exchange/steps.ts";
import { pairToolResults } from "../../exchange/tool-pairing.ts";
import { wrapCustomTools } from "./custom-tools.ts";
import { enforceLimits } from "./enforced-limits.ts";
import { createToolUnwrapper, unwrapFinish, unwrapToolCall, wrapSchemaInTool } from "./schema-in-tool.ts";
import { separateCandidates } from "./separate-candidates.ts";
import { relaxStrictSchemas } from "./strict-schemas.ts";
import { fitToolNames } from "./tool-names.ts";
import { createValueUnwrapper, unwrapValue, wrapSchemaRoot } from "./wrapped-schema-root.ts";

/** A request that is ready for an upstream's encoder, with functions that undo the changes in the response. */
export interface PreparedRequest {
  readonly request: ExchangeRequest;
  readonly losses: readonly Loss[];
  /** The number of upstream calls (`countSeparateCalls`). */
  readonly calls: number;
  /** Whether the event filter or the restorer reads the texts of a stream. If so, all deltas must pass through both. */
  readonly readsTexts: boolean;
  restoreResponse(response: ExchangeResponse): ExchangeResponse;
  /** Returns a function that enforces `EnforcedLimits` on one stream; undefined if the request has no such limits. */
  createEventFilter(): ((event: ExchangeEvent) => readonly ExchangeEvent[]) | undefined;
  /** Returns a restorer for one stream. */
  createEventRestorer(): (event: ExchangeEvent) => ExchangeEvent;
}

/**
 * Prepares a request for any upstream dialect: pairs tool results, and adapts instructions, tools, tool names, schemas
 * and the number of candidates to what the upstream accepts.
 */
export function* prepareRequest(
  request: ExchangeRequest,
  target: { readonly dialect: UpstreamDialect; readonly model: string },
  capabilities: Capabilities,
): Steps<PreparedRequest> {
  const enforced = enforceLimits(request, capabilities, getUpstreamProfile(target.dialect));
  const spoken = withTurn(request, target.dialect);
  const { turns, losses } = yield* pairToolResults(spoken.value.turns);
  const plainer = withoutForeignExtras(spoken.value, target.dialect, capabilities);
  const enclosed = wrapSchemaRoot(plainer.request, target.dialect);
  const relaxed = relaxStrictSchemas(enclosed ?? plainer.request, target.dialect);
  const paired: ExchangeRequest = { ...relaxed.request, model: target.model, turns };
  const plain = capabilities.customTools ? paired : yield* wrapCustomTools(paired);
  const carried = wrapSchemaInTool(plain, target.dialect, capabilities);
  const named = yield* fitToolNames(carried ?? plain, capabilities);
  const separate = separateCandidates(named.request, target.dialect, capabilities);
  const restorePart = (part: Part): Part => {
    const restored = part.type === "tool-call" ? { ...part, name: named.restore(part.name) } : part;
    const unwrapped = carried === undefined ? restored : unwrapToolCall(restored);
    return enclosed === undefined ? unwrapped : unwrapValue(unwrapped);
  };
  return {
    request: separate?.request ?? named.request,
    losses: [...spoken.losses, ...losses, ...relaxed.losses, ...plainer.losses, ...(separate?.losses ?? [])],
    calls: separate?.calls ?? 1,
    readsTexts: enclosed !== undefined || enforced !== undefined,
    restoreResponse: (response) => ({
      ...response,
      candidates: response.candidates
        .map((candidate) => enforced?.shorten(candidate) ?? candidate)
        .map(({ parts, finish, ...rest }) => ({
          parts: parts.map(restorePart),
          finish: carried === undefined ? finish : unwrapFinish(finish),
          ...rest,
        })),
    }),
    createEventFilter: () => enforced?.createFilter(),
    createEventRestorer() {
      const unwrapCall = carried === undefined ? undefined : createToolUnwrapper();
      const unwrap = enclosed === undefined ? undefined : createValueUnwrapper();
      return (event) => {
        const restored = restoreName(event, named.restore);
        const unwrapped = unwrapCall === undefined ? restored : unwrapCall(restored);
        return unwrap === undefined ? unwrapped : unwrap(unwrapped);
      };
    },
  };
}

function restoreName(event: ExchangeEvent, restore: (name: string) => string): ExchangeEvent {
  if (event.type === "part-start" && event.part.type === "tool-call") {
    return { ...event, part: { ...event.part, name: restore(event.part.name) } };
  }
  if ((event.type === "part-whole" || event.type === "part-end") && event.part?.type === "tool-call") {
    return { ...event, part: { ...event.part, name: restore(event.part.name) } };
  }
  return event;
}

const lost: Loss = {
  code: "system-position",
  detail: "Instructions sent as a user message: the request has no other message.",
};

/**
 * Moves the instructions of a request without turns into a turn if the profile of the upstream's dialect requires it,
 * because most vendors reject a request without turns.
 */
function withTurn(request: ExchangeRequest, target: UpstreamDialect): Converted<ExchangeRequest> {
  const isAlone = request.turns.length === 0 && request.instructions.length > 0;
  const { instructionsWithoutTurns } = getUpstreamProfile(target);
  if (!isAlone || instructionsWithoutTurns === "instructions") return { value: request, losses: [] };
  const isSystem = instructionsWithoutTurns === "system-turn";
  const turns = [{ role: isSystem ? "system" : "user", parts: request.instructions } as const];
  return { value: { ...request, instructions: [], turns }, losses: isSystem ? [] : [lost] };
}

/** Removes the members of tools that the upstream does not accept, and reports them as losses. */
function withoutForeignExtras(
  request: ExchangeRequest,
  target: UpstreamDialect,
  { cacheControl }: Capabilities,
): { readonly request: ExchangeRequest; readonly losses: readonly Loss[] } {
  const list = createLossList();
  const { toolMembers } = getUpstreamProfile(target);
  const tools = request.tools.map((tool) => {
    if (tool.type !== "function" || tool.extras === undefined) return tool;
    const extras: Record<string, unknown> = {};
    let isComplete = true;
    for (const [member, value] of Object.entries(tool.extras)) {
      if (toolMembers.includes(member) || (member === "cache_control" && cacheControl === "all"))
        extras[member] = value;
      else {
        isComplete = false;
        list.add(
          memberCode(member),
          `\`${member}\` of a tool dropped: the ${target} dialect has no equivalent.`,
        );
      }
    }
    return isComplete ? tool : { ...tool, extras };
  });
  return { request: list.losses.length === 0 ? request : { ...request, tools }, losses: list.losses };
}
