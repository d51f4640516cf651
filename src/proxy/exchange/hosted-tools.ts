import { invalidRequest } from "./dialect-error.ts";
import type { LossList } from "./loss.ts";
import type { ExchangeRequest, HostedTool, Tool, ToolChoice } from "./request.ts";

/**
 * Settles the vendor-run tools that the target dialect has no twin of: refused with 400 where a call would have
 * nothing else to work with, left out with a loss where the client's own functions remain.
 */
export function dropHostedTools(
  dropped: readonly HostedTool[],
  kept: readonly unknown[],
  list: LossList,
): void {
  for (const { tool, dialect } of dropped) {
    const detail = `The ${dialect} tool ${tool} runs at its vendor and has no twin here.`;
    if (kept.length === 0) throw invalidRequest(detail, "tools");
    list.add(`hosted-tool-${tool}`, detail);
  }
}

/** `allowed` for dialects without it: the tools it names, and whether one must be called. */
export function narrowTools(request: ExchangeRequest): {
  tools: readonly Tool[];
  choice: ToolChoice | undefined;
} {
  const choice = request.toolChoice;
  if (choice?.mode !== "allowed") return { tools: request.tools, choice };
  const tools = request.tools.filter((tool) => tool.type === "hosted" || choice.names.includes(tool.name));
  return { tools, choice: { mode: choice.required ? "required" : "auto" } };
}
