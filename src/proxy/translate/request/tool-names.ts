import type { Capabilities } from "../../exchange/capabilities.ts";
import type { Part } from "../../exchange/parts.ts";
import type { ExchangeRequest, Tool } from "../../exchange/request.ts";
import { mapInSteps, type Steps } from "../../exchange/steps.ts";
import { shortenToolName } from "../../exchange/tool-name.ts";
import { mapParts } from "../../exchange/turns.ts";

/** A request with tool names that the upstream accepts. */
export interface ToolNames {
  readonly request: ExchangeRequest;
  /** Returns the client's name of a tool that the upstream called. */
  restore(name: string): string;
}

/**
 * Renames tools whose names the upstream would reject, also in earlier turns. A new name depends only on the client's
 * name and the upstream's maximum length.
 */
export function* fitToolNames(request: ExchangeRequest, capabilities: Capabilities): Steps<ToolNames> {
  const { toolNamePattern: pattern, maxToolNameLength: max } = capabilities;
  const accepts = (name: string) => name.length <= max && pattern.test(name);
  const refused = namesIn(request).filter((name) => !accepts(name));
  if (refused.length === 0) return { request, restore: (name) => name };
  const renamed = new Map(yield* mapInSteps(refused, (name) => [name, shortenToolName(name, max)] as const));
  const original = new Map([...renamed].map(([name, fitted]) => [fitted, name]));
  return {
    request: yield* renameAll(request, (name) => renamed.get(name) ?? name),
    restore: (name) => original.get(name) ?? name,
  };
}

function namesIn(request: ExchangeRequest): string[] {
  const names = new Set(request.tools.flatMap((tool) => (tool.type === "hosted" ? [] : [tool.name])));
  for (const { parts } of request.turns) {
    for (const part of parts) if (part.type === "tool-call") names.add(part.name);
  }
  return [...names];
}

function* renameAll(request: ExchangeRequest, fitted: (name: string) => string): Steps<ExchangeRequest> {
  const { toolChoice: choice } = request;
  const toolChoice =
    choice?.mode === "tool"
      ? { ...choice, name: fitted(choice.name) }
      : choice?.mode === "allowed"
        ? { ...choice, names: choice.names.map(fitted) }
        : choice;
  return {
    ...request,
    tools: request.tools.map(
      (tool): Tool => (tool.type === "hosted" ? tool : { ...tool, name: fitted(tool.name) }),
    ),
    turns: yield* mapParts(request.turns, (part): Part => {
      if (part.type === "tool-call") return { ...part, name: fitted(part.name) };
      return part.type === "tool-result" && part.name !== undefined
        ? { ...part, name: fitted(part.name) }
        : part;
    }),
    toolChoice,
  };
}
