import { quoteName } from "../git/quoted-name.ts";

/** A file of a diff as forges list it in JSON: its hunks, without git's header. */
export interface ListedChange {
  readonly path: string;
  readonly oldPath: string;
  readonly status: "added" | "modified" | "deleted" | "renamed";
  readonly oldMode?: string | undefined;
  readonly newMode?: string | undefined;
  /** Empty if the forge shows none. */
  readonly hunks: string;
  readonly isBinary?: boolean | undefined;
}

const NO_OBJECT = "0".repeat(40);
/** Placeholders for the object names of a side that exists. */
const OLD_OBJECT = "1".repeat(40);
const NEW_OBJECT = "2".repeat(40);
const FILE_MODE = "100644";

/** Returns the diff in git's format. */
export function composePatch(changes: readonly ListedChange[]): string {
  return changes
    .map(({ hunks, ...change }) => {
      const header = composeHeader(change, hunks !== "");
      return hunks === "" ? header : `${header}${hunks.replace(/\n$/, "")}\n`;
    })
    .join("");
}

/** Returns the header of a file's patch: all lines before its hunks. */
export function composeHeader(
  {
    path,
    oldPath,
    status,
    oldMode = FILE_MODE,
    newMode = FILE_MODE,
    isBinary = false,
  }: Omit<ListedChange, "hunks">,
  hasHunks: boolean,
): string {
  const [from, to] = [quoted(`a/${oldPath}`), quoted(`b/${path}`)];
  const lines = [`diff --git ${from} ${to}`];
  if (status === "added") lines.push(`new file mode ${newMode}`);
  else if (status === "deleted") lines.push(`deleted file mode ${oldMode}`);
  else if (oldMode !== newMode) lines.push(`old mode ${oldMode}`, `new mode ${newMode}`);
  if (status === "renamed") lines.push(`rename from ${quoted(oldPath)}`, `rename to ${quoted(path)}`);
  const objects = `${status === "added" ? NO_OBJECT : OLD_OBJECT}..${status === "deleted" ? NO_OBJECT : NEW_OBJECT}`;
  const [old, now] = [status === "added" ? "/dev/null" : from, status === "deleted" ? "/dev/null" : to];
  if (hasHunks || isBinary || status === "added" || status === "deleted") lines.push(`index ${objects}`);
  if (isBinary) lines.push(`Binary files ${old} and ${now} differ`);
  if (hasHunks) lines.push(`--- ${old}`, `+++ ${now}`);
  return `${lines.join("\n")}\n`;
}

const quoted = (name: string) => quoteName(Buffer.from(name));
