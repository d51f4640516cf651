import { findTool } from "../../exchange/find-tool.ts";
import type { FunctionTool, Tool } from "../../exchange/request.ts";

/**
 * The separator between the namespace and the name in the qualified name of a function. Namespaces group functions in
 * this dialect (`{type: "namespace", name, tools}`). In other dialects, which have a flat list, functions have
 * qualified names.
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

/** Returns the namespace in which a tool was declared; undefined if there is none. */
export function getNamespace(tool: FunctionTool): ToolNamespace | undefined {
  const extras = tool.extras?.["namespace"];
  return extras === undefined ? undefined : (extras as ToolNamespace);
}

/** Returns the namespace and short name of the function with this qualified name; undefined if it has no namespace. */
export function findNamespaced(tools: readonly Tool[], name: string): ToolNamespace | undefined {
  const tool = findTool(tools, "function", name);
  return tool && getNamespace(tool);
}
