import { splitAtNul } from "./nul-list.ts";
import { isNullObject } from "./section-header.ts";
import { GITLINK_MODE } from "./staged-entries.ts";

export interface RawEntry {
  readonly path: Buffer;
  readonly status: string;
  /** Modes of the old and the new side. */
  readonly modes: readonly string[];
  readonly objects: readonly string[];
}

/** Parses `--raw -z` without renames: `:mode mode object object status` NUL path NUL … */
export function rawEntries(output: Buffer): RawEntry[] {
  const fields = splitAtNul(output);
  const entries: RawEntry[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [mode = "", newMode = "", object = "", newObject = "", status = ""] =
      fields[at]?.toString("latin1").slice(1).split(" ") ?? [];
    const path = fields[at + 1];
    if (path)
      entries.push({ path, status: status.charAt(0), modes: [mode, newMode], objects: [object, newObject] });
  }
  return entries;
}

/** Returns the objects that `--raw -z` names, except those of submodules, which are in other repositories. */
export function objectsIn(raw: Buffer): string[] {
  return rawEntries(raw).flatMap(({ modes, objects }) =>
    objects.filter((object, side) => modes[side] !== GITLINK_MODE && !isNullObject(object)),
  );
}
