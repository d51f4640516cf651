import { isObject } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { OutBlock } from "./encode-blocks.ts";

/** The vendor's maximum number of cache breakpoints in one call, including the one of automatic caching. */
const maxBreakpoints = 4;

/** The members that can contain breakpoints, in the order in which the vendor caches them. */
const cachedMembers = ["tools", "system", "messages"];

/**
 * Removes the cache breakpoints that exceed the vendor's maximum from a request body, and adds a loss. A later
 * breakpoint covers everything before it, so the last breakpoints are kept.
 */
export function limitBreakpoints(body: OutBlock, list: LossList): OutBlock {
  const max = isMarked(body) ? maxBreakpoints - 1 : maxBreakpoints;
  const marked: OutBlock[] = [];
  for (const member of cachedMembers) collectMarked(body[member], marked);
  if (marked.length <= max) return body;
  list.add("cache-control", `Cache breakpoints before the last ${max} dropped: the vendor accepts no more.`);
  const surplus = new Set(marked.slice(0, -max));
  const kept = cachedMembers
    .filter((member) => member in body)
    .map((member) => [member, withoutBreakpoints(body[member], surplus)]);
  return { ...body, ...Object.fromEntries(kept) };
}

function isMarked(value: OutBlock): boolean {
  return value["cache_control"] != null;
}

/** Adds the marked tools and blocks in `value` to `marked`, including those in the content of tool results. */
function collectMarked(value: unknown, marked: OutBlock[]): void {
  if (Array.isArray(value)) for (const item of value) collectMarked(item, marked);
  if (!isObject(value)) return;
  collectMarked(value["content"], marked);
  if (isMarked(value)) marked.push(value);
}

function withoutBreakpoints(value: unknown, surplus: ReadonlySet<OutBlock>): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutBreakpoints(item, surplus));
  if (!isObject(value)) return value;
  const { cache_control: _, ...bare } = value;
  const kept = surplus.has(value) ? bare : value;
  return Array.isArray(kept["content"])
    ? { ...kept, content: withoutBreakpoints(kept["content"], surplus) }
    : kept;
}
