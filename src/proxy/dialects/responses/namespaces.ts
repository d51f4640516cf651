import { findTool } from "../../exchange/find-tool.ts";
import type { FunctionTool, Tool } from "../../exchange/request.ts";

/**
 * Separates namespace and name of a function. Namespaces group functions (`{type: "namespace", name, tools}`); other
 * dialects have a flat list, so a function has a qualified name there, which is split again in its calls.
 */
const separator = "__";

/** Returns the qualified name of a function, which other dialects use. */
export function qualifiedName(namespace: string | null | undefined, name: string): string {
  if (typeof namespace !== "string" || namespace === "") return name;
  return namespace.endsWith(separator) ? `${namespace}${name}` : `${namespace}${separator}${name}`;
}

export interface ToolNamespace {
  readonly namespace: string;
  readonly name: string;
  readonly description?: string;
}

/** Returns the namespace that a tool was declared in, if any. */
export function getNamespace(tool: FunctionTool): ToolNamespace | undefined {
  const extras = tool.extras?.["namespace"];
  return extras === undefined ? undefined : (extras as ToolNamespace);
}

/** Returns the namespace and short name of the function with this qualified name, if it was declared in one. */
export function findNamespaced(tools: readonly Tool[], name: string): ToolNamespace | undefined {
  const tool = findTool(tools, "function", name);
  return tool && getNamespace(tool);
}
