import { invalidRequest } from "./dialect-error.ts";
import type { LossList } from "./loss.ts";
import type { ExchangeRequest, HostedTool, Tool, ToolChoice } from "./request.ts";

/**
 * Reports each vendor-hosted tool without an equivalent in the target dialect as a loss. Throws `DialectError` (400) if
 * the request has such a tool and no other tool remains in `kept`.
 */
export function dropHostedTools(
  dropped: readonly HostedTool[],
  kept: readonly unknown[],
  list: LossList,
): void {
  for (const { tool, dialect } of dropped) {
    const detail = `The ${dialect} tool ${tool} is defined by its vendor and has no equivalent at the upstream.`;
    if (kept.length === 0) throw invalidRequest(detail, "tools");
    list.add(`hosted-tool-${tool}`, detail);
  }
}

/**
 * Replaces the tool choice `allowed`, for dialects without it: removes the tools that the choice does not name, except
 * hosted ones, and sets the mode to `required` or `auto`.
 */
export function narrowTools(request: ExchangeRequest): {
  tools: readonly Tool[];
  choice: ToolChoice | undefined;
} {
  const choice = request.toolChoice;
  if (choice?.mode !== "allowed") return { tools: request.tools, choice };
  const names = new Set(choice.names);
  const tools = request.tools.filter((tool) => tool.type === "hosted" || names.has(tool.name));
  return { tools, choice: { mode: choice.required ? "required" : "auto" } };
}
