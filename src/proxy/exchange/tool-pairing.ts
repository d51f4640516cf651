import type { Loss } from "./loss.ts";
import type { Part, ToolCallPart, ToolResultPart } from "./parts.ts";
import type { Turn } from "./request.ts";
import { isPauseDue, mapInSteps, type Steps } from "./steps.ts";

/**
 * Puts tool calls and results into the order that every vendor accepts: the user turn directly after the calls begins
 * with their results, in the order of the calls. Other content keeps its order.
 *
 * Repairs calls and results that do not match: adds an error result to a call without a result, and drops a result
 * without a call and a second result of the same call. Each of these repairs is reported as a loss. A call id that is
 * used again is replaced by a unique one.
 */
export function* pairToolResults(
  turns: readonly Turn[],
): Steps<{ turns: readonly Turn[]; losses: readonly Loss[] }> {
  if (!turns.some((turn) => turn.parts.some((part) => part.type === "tool-call" || isResult(part)))) {
    return { turns, losses: [] };
  }
  const book = yield* openBook(turns);
  const paired: PairedTurn[] = [];
  const losses: Loss[] = [];
  let owed: ToolResultPart[] = [];
  for (const [position, turn] of turns.entries()) {
    if (isPauseDue()) yield;
    if (turn.role === "assistant") {
      const parts: Part[] = [];
      const results: ToolResultPart[] = [];
      for (const part of turn.parts) {
        if (isPauseDue()) yield;
        const pair = part.type === "tool-call" ? pairCall(part, position, book, losses) : undefined;
        parts.push(pair?.call ?? part);
        if (pair !== undefined) results.push(pair.result);
      }
      const before = paired.at(-1);
      // No turn can come between calls and results, so an assistant turn that follows the calls is added to their turn.
      if (owed.length > 0 && before !== undefined) append(before.parts, parts);
      else paired.push({ ...turn, parts });
      append(owed, results);
      continue;
    }
    const others = turn.parts.filter((part) => !isResult(part));
    const next =
      owed.length > 0 && turn.role === "user" ? { ...turn, parts: [...owed, ...others] } : undefined;
    if (next === undefined && owed.length > 0) paired.push({ role: "user", parts: owed });
    owed = [];
    if (next !== undefined) paired.push(next);
    else if (others.length > 0 || turn.parts.length === 0) paired.push({ ...turn, parts: others });
  }
  if (owed.length > 0) paired.push({ role: "user", parts: owed });
  return { turns: paired, losses: [...losses, ...(yield* leftOver(book))] };
}

/** A turn whose list of parts can be extended. */
interface PairedTurn extends Turn {
  readonly parts: Part[];
}

/** Appends items one by one, because all arguments of `push(...items)` must fit on the stack. */
function append<Item>(list: Item[], items: readonly Item[]): void {
  for (const item of items) list.push(item);
}

/** The results with one call id, oldest first, and the indexes of their turns. */
interface ResultQueue {
  readonly entries: { readonly position: number; readonly result: ToolResultPart }[];
  /** Index of the first entry that no call has been compared with. */
  next: number;
  /** Results that precede the call that they were compared with; `isRepeated` if an earlier call had the same id. */
  readonly early: { readonly result: ToolResultPart; readonly isRepeated: boolean }[];
}

interface Book {
  readonly waiting: Map<string, ResultQueue>;
  /** The call ids in use, each with the last number that was appended to it to make an id unique. */
  readonly idsUsed: Map<string, number>;
}

function* openBook(turns: readonly Turn[]): Steps<Book> {
  const waiting: Book["waiting"] = new Map();
  for (const [position, turn] of turns.entries()) {
    for (const part of turn.parts) {
      if (isPauseDue()) yield;
      if (!isResult(part)) continue;
      const queue = waiting.get(part.callId);
      const entry = { position, result: part };
      if (queue === undefined) waiting.set(part.callId, { entries: [entry], next: 0, early: [] });
      else queue.entries.push(entry);
    }
  }
  return { waiting, idsUsed: new Map() };
}

/** Returns a call with an unused id, and its result. */
function pairCall(
  part: ToolCallPart,
  position: number,
  book: Book,
  losses: Loss[],
): { readonly call: ToolCallPart; readonly result: ToolResultPart } {
  const id = unusedId(part.id, book.idsUsed);
  const taken = takeResult(part, position, id !== part.id, book);
  if (taken === undefined) losses.push(missing(part));
  const { name: _name, callId: _callId, ...result } = taken ?? noResult(part);
  return {
    call: id === part.id ? part : { ...part, id },
    result: { name: part.name, callId: id, ...result },
  };
}

function unusedId(id: string, used: Map<string, number>): string {
  let unused = id;
  let round = used.get(id) ?? 1;
  while (used.has(unused)) {
    round += 1;
    unused = `${id}_${round}`;
  }
  used.set(unused, 1);
  if (unused !== id) used.set(id, round);
  return unused;
}

/**
 * Returns the oldest result that follows the call, and removes it from its queue. Returns undefined if there is none.
 * Also removes the results that precede the call, because they precede all later calls too. `isRepeated` is true if an
 * earlier call had the same id.
 */
function takeResult(
  call: ToolCallPart,
  position: number,
  isRepeated: boolean,
  book: Book,
): ToolResultPart | undefined {
  const queue = book.waiting.get(call.id);
  if (queue === undefined) return undefined;
  for (;;) {
    const entry = queue.entries[queue.next];
    if (entry === undefined) return undefined;
    queue.next += 1;
    if (entry.position > position) return entry.result;
    queue.early.push({ result: entry.result, isRepeated });
  }
}

function noResult(call: ToolCallPart): ToolResultPart {
  return {
    type: "tool-result",
    callId: call.id,
    content: [{ type: "text", text: "No result was recorded for this call." }],
    isError: true,
    ...(call.custom === true ? { custom: true } : {}),
  };
}

function missing(call: ToolCallPart): Loss {
  return { code: "tool-result-missing", detail: `The call ${call.id} (${call.name}) has no result.` };
}

function leftOver(book: Book): Steps<Loss[]> {
  const results = [...book.waiting.values()].flatMap(({ entries, next, early }) => [
    ...early,
    ...entries.slice(next).map(({ result }) => ({ result, isRepeated: book.idsUsed.has(result.callId) })),
  ]);
  return mapInSteps(results, ({ result: { callId }, isRepeated }) => ({
    code: isRepeated ? "tool-result-duplicate" : "tool-result-orphan",
    detail: `Tool result for ${callId} dropped: no earlier call is waiting for it.`,
  }));
}

function isResult(part: Part): part is ToolResultPart {
  return part.type === "tool-result";
}
