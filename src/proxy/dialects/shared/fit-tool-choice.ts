import type { Capabilities } from "../../exchange/capabilities.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { Tool, ToolChoice } from "../../exchange/request.ts";

interface ChosenTools {
  readonly tools: readonly Tool[];
  readonly choice: ToolChoice | undefined;
}

/**
 * Replaces a tool choice that the upstream rejects. For `none`, all tools are dropped. For a named tool, the other
 * tools are dropped and the choice becomes `required`. If the upstream rejects `required`, the choice becomes `auto`,
 * which is a loss. If the upstream rejects `auto`, its default, the choice is omitted.
 */
export function fitToolChoice(
  chosen: ChosenTools,
  { toolChoices }: Capabilities,
  list: LossList,
): ChosenTools {
  const { tools, choice } = chosen;
  if (choice === undefined || choice.mode === "allowed" || toolChoices.includes(choice.mode)) return chosen;
  if (choice.mode === "auto") return { tools, choice: undefined };
  if (choice.mode === "none") return { tools: [], choice: undefined };
  const named =
    choice.mode === "tool"
      ? tools.filter((tool) => tool.type !== "hosted" && tool.name === choice.name)
      : tools;
  if (toolChoices.includes("required")) return { tools: named, choice: { mode: "required" } };
  list.add("tool-choice", "The model may respond without a tool call: the upstream cannot require one.");
  return { tools: named, choice: toolChoices.includes("auto") ? { mode: "auto" } : undefined };
}
