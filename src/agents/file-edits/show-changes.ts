import { createTwoFilesPatch } from "diff";
import type { Change } from "./changes.ts";

/** Formats the changes as one unified diff, with secrets masked. */
export function showChanges(changes: readonly Change[], secrets: readonly string[] = []): string {
  const text = changes.map(showChange).join("\n");
  return secrets.reduce((shown, secret) => (secret ? shown.replaceAll(secret, "••••••") : shown), text);
}

function showChange({ path, target, purpose, before, after }: Change): string {
  const shownPath = target === path ? path : `${path} (a link to ${target})`;
  const patch = createTwoFilesPatch(
    before === undefined ? "/dev/null" : path,
    after === undefined ? "/dev/null" : path,
    before ?? "",
    after ?? "",
    undefined,
    undefined,
    { context: 3 },
  );
  // Drops jsdiff's lines above the file names, and CR, which would be shown as \x0d.
  const shown = patch.slice(patch.search(/^--- /m)).replaceAll("\r\n", "\n");
  return `${shownPath}: ${purpose}\n${shown.trimEnd()}\n`;
}
