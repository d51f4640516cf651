import type { DiffFile } from "../api-types.ts";
import { unquoteName } from "./quoted-name.ts";

/** Properties of a file that are in the lines before its first hunk. */
export interface SectionHeader {
  readonly path: string;
  readonly oldPath?: string;
  readonly status: DiffFile["status"];
  readonly binary: boolean;
  readonly oldMode?: string;
  readonly newMode?: string;
  /**
   * Object names of the `index` line: all zeros for a missing side. Absent without this line: no content changed, or
   * the file is new and too large to be compared.
   */
  readonly oldBlob?: string;
  readonly newBlob?: string;
}

/** Reports whether an object name is all zeros, as git names the missing side of a change. */
export function isNullObject(name: string): boolean {
  return /^0+$/.test(name);
}

const MODE_LINES = {
  "old mode ": "old",
  "new mode ": "new",
  "deleted file mode ": "old",
  "new file mode ": "new",
} as const;

/**
 * Parses the extended header of a file's patch (https://git-scm.com/docs/diff-format). Expects git's output under our
 * options: prefixes `a/` and `b/`, names quoted where necessary.
 */
export function readSectionHeader(header: string): SectionHeader {
  const lines = header.split("\n");
  const after = (start: string) => lines.find((line) => line.startsWith(start))?.slice(start.length);
  const modes: { old?: string; new?: string } = {};
  for (const [start, side] of Object.entries(MODE_LINES)) {
    const mode = after(start);
    if (mode !== undefined) modes[side] = mode;
  }
  const [, oldBlob, newBlob, mode] =
    /^([0-9a-f]+)\.\.([0-9a-f]+)(?: (\d+))?$/.exec(after("index ") ?? "") ?? [];
  const from = after("rename from ") ?? after("copy from ");
  const to = after("rename to ") ?? after("copy to ");
  const oldMode = modes.old ?? mode;
  const newMode = modes.new ?? mode;
  return {
    path: to === undefined ? sharedName(lines[0] ?? "") : unquoteName(to),
    oldPath: from === undefined ? undefined : unquoteName(from),
    status: parseStatus(after),
    binary: lines.some((line) => line.startsWith("Binary files ") && line.endsWith(" differ")),
    oldMode,
    newMode,
    ...(oldBlob === undefined || newBlob === undefined ? {} : { oldBlob, newBlob }),
  };
}

function parseStatus(after: (start: string) => string | undefined): DiffFile["status"] {
  if (after("new file mode ") !== undefined) return "added";
  if (after("deleted file mode ") !== undefined) return "deleted";
  if (after("rename from ") !== undefined) return "renamed";
  return after("copy from ") === undefined ? "modified" : "copied";
}

/** Returns the name in `diff --git a/NAME b/NAME`; without a rename both halves are equal. */
function sharedName(line: string): string {
  const names = line.slice("diff --git ".length);
  const half = names.slice(0, (names.length - 1) / 2);
  return unquoteName(half).replace(/^a\//, "");
}
