import { isObject } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import { type LossCode, memberCode } from "../../exchange/loss-codes.ts";
import type { Dialect, DocumentPart, Part } from "../../exchange/parts.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";

/**
 * Adds a loss for each request member that only another dialect has, unless its value requests the default behavior or
 * `handled` contains its name. The code of the loss is the member's name in kebab case.
 */
export function addForeignExtensions(
  request: ExchangeRequest,
  target: Dialect,
  losses: LossList,
  handled: readonly string[] = [],
): void {
  for (const [dialect, members] of Object.entries(request.extensions)) {
    if (dialect === target) continue;
    for (const [name, value] of Object.entries(members ?? {}).flatMap(membersIn)) {
      const code = memberCode(name);
      if (!handled.includes(name) && !asksForNothing(code, value))
        losses.add(code, `\`${name}\` dropped: the ${target} dialect has no equivalent.`);
    }
  }
}

/** Returns a member, or the members in `generationConfig` and `toolConfig`, which only group the dialect's members. */
function membersIn([name, value]: readonly [string, unknown]): readonly (readonly [string, unknown])[] {
  return (name === "generationConfig" || name === "toolConfig") && isObject(value)
    ? Object.entries(value)
    : [[name, value]];
}

/** Adds a loss if the request has cache breakpoints, for dialects that do not support them. */
export function addCacheHints(request: ExchangeRequest, losses: LossList): void {
  const hinted = (parts: readonly Part[]): boolean => parts.some((part) => part.cache !== undefined);
  if (hinted(request.instructions) || request.turns.some((turn) => hinted(turn.parts))) {
    losses.add("cache-control", "Cache breakpoints dropped: the dialect has no equivalent.");
  }
}

/** Returns whether a member requests the default behavior of every upstream, so that omitting it loses nothing. */
export function asksForNothing(code: LossCode, value: unknown): boolean {
  if (code === "store" || code === "background") return value === false;
  if (code === "truncation") return value === "disabled";
  if (code === "service-tier") return value === "auto" || value === "default";
  if (code === "verbosity") return value === "medium";
  if (code === "modalities")
    return Array.isArray(value) && value.every((one) => String(one).toLowerCase() === "text");
  return code === "metadata" && isObject(value) && Object.keys(value).length === 0;
}

/** Adds a loss for a file that was dropped because its id is valid only at another vendor. */
export function loseForeignFile(losses: LossList): undefined {
  losses.add("file-reference", "File reference dropped: the file is at another vendor.");
}

/** Adds a loss for each option of a document that only the messages dialect has. */
export function loseDocumentOptions(part: DocumentPart, losses: LossList): void {
  if (part.context !== undefined)
    losses.add("document-context", "`context` of a document dropped: the upstream has no equivalent.");
  if (part.citations === true)
    losses.add(
      "document-citations",
      "Citations of a document not requested: the upstream has no equivalent.",
    );
}
