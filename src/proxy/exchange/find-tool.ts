import type { CustomTool, FunctionTool, Tool } from "./request.ts";

type NamedTool = FunctionTool | CustomTool;
type ToolOfType<T extends NamedTool["type"]> = Extract<NamedTool, { type: T }>;

/**
 * Caches an index of each list of tools: the first tool of each type and name. Searching the list for each call would
 * take over a second for a request with 12,000 tools and as many calls.
 */
const indexes = new WeakMap<readonly Tool[], ReadonlyMap<string, NamedTool>>();

/** Returns the first tool of this type and name that a request declares. */
export function findTool<T extends NamedTool["type"]>(
  tools: readonly Tool[],
  type: T,
  name: string,
): ToolOfType<T> | undefined {
  return getIndex(tools).get(key(type, name)) as ToolOfType<T> | undefined;
}

function getIndex(tools: readonly Tool[]): ReadonlyMap<string, NamedTool> {
  const known = indexes.get(tools);
  if (known !== undefined) return known;
  const index = new Map<string, NamedTool>();
  for (const tool of tools) {
    if (tool.type === "hosted") continue;
    const id = key(tool.type, tool.name);
    if (!index.has(id)) index.set(id, tool);
  }
  indexes.set(tools, index);
  return index;
}

const key = (type: NamedTool["type"], name: string): string => `${type} ${name}`;
