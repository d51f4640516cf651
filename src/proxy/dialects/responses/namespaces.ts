import type { FunctionTool, Tool } from "../../exchange/request.ts";

/**
 * Namespaces group functions under a name of their own (`{type: "namespace", name, tools}`). Other dialects have one
 * flat list, so a function is known there by both names together, and split again on the way back.
 */
const separator = "__";

/** The one name a namespaced function goes by elsewhere. */
export function qualifiedName(namespace: string | null | undefined, name: string): string {
  if (typeof namespace !== "string" || namespace === "") return name;
  return namespace.endsWith(separator) ? `${namespace}${name}` : `${namespace}${separator}${name}`;
}

export interface NamespaceOfTool {
  readonly namespace: string;
  readonly name: string;
  readonly description?: string;
}

/** Which namespace a tool was declared in, if any. */
export function namespaceOf(tool: FunctionTool): NamespaceOfTool | undefined {
  const extras = tool.extras?.["namespace"];
  return extras === undefined ? undefined : (extras as NamespaceOfTool);
}

/** The tool of this flat name, where it was declared in a namespace. */
export function findNamespaced(tools: readonly Tool[], name: string): NamespaceOfTool | undefined {
  const tool = tools.find((candidate) => candidate.type === "function" && candidate.name === name);
  return tool?.type === "function" ? namespaceOf(tool) : undefined;
}
