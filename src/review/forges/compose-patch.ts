import { quoteName } from "../git/quoted-name.ts";

/** A file of a diff as forges list it in JSON: its hunks, without git's header. */
export interface ListedChange {
  readonly path: string;
  readonly oldPath: string;
  readonly status: "added" | "modified" | "deleted" | "renamed";
  readonly oldMode?: string | undefined;
  readonly newMode?: string | undefined;
  /** Also git's line for a binary file. Empty if the forge shows neither. */
  readonly hunks: string;
}

const NO_OBJECT = "0".repeat(40);
/** Placeholders for the object names of a side that exists. */
const OLD_OBJECT = "1".repeat(40);
const NEW_OBJECT = "2".repeat(40);
const FILE_MODE = "100644";

/** Returns the diff in git's format. */
export function composePatch(changes: readonly ListedChange[]): string {
  return changes.map(filePatch).join("");
}

function filePatch({
  path,
  oldPath,
  status,
  oldMode = FILE_MODE,
  newMode = FILE_MODE,
  hunks,
}: ListedChange): string {
  const [from, to] = [quoted(`a/${oldPath}`), quoted(`b/${path}`)];
  const lines = [`diff --git ${from} ${to}`];
  if (status === "added") lines.push(`new file mode ${newMode}`);
  else if (status === "deleted") lines.push(`deleted file mode ${oldMode}`);
  else if (oldMode !== newMode) lines.push(`old mode ${oldMode}`, `new mode ${newMode}`);
  if (status === "renamed") lines.push(`rename from ${quoted(oldPath)}`, `rename to ${quoted(path)}`);
  const objects = `${status === "added" ? NO_OBJECT : OLD_OBJECT}..${status === "deleted" ? NO_OBJECT : NEW_OBJECT}`;
  const isText = hunks.startsWith("@@ ");
  const isBinary = hunks.startsWith("Binary files ");
  if (isText || isBinary || status === "added" || status === "deleted") lines.push(`index ${objects}`);
  if (isBinary) lines.push(hunks.trimEnd());
  if (isText) {
    lines.push(
      `--- ${status === "added" ? "/dev/null" : from}`,
      `+++ ${status === "deleted" ? "/dev/null" : to}`,
    );
    lines.push(hunks.replace(/\n$/, ""));
  }
  return `${lines.join("\n")}\n`;
}

const quoted = (name: string) => quoteName(Buffer.from(name));
