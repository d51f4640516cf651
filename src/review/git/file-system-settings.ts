import { statfs } from "node:fs/promises";
import type { GitPlace } from "./run-git.ts";

/**
 * Settings in which a repository records the capabilities of its file system. They are ignored on Linux file systems
 * with links and modes.
 */
const NOTED = {
  "core.filemode": "fileMode",
  "core.symlinks": "symlinks",
  "core.ignorecase": "ignoreCase",
  "core.precomposeunicode": "precomposeUnicode",
} as const;

/** Linux file systems (statfs(2), `f_type`) without modes or links: 9p, drvfs, FAT, exFAT, NTFS, CIFS, SMB, FUSE. */
const FOREIGN = new Set([
  0x01021997, 0x53464846, 0x4d44, 0x2011bab0, 0x5346544e, 0x7366746e, 0xff534d42, 0xfe534d42, 0x65735546,
]);

/** Returns the `core` settings to keep for this file system, with the repository's values. */
export async function fileSystemSettings(git: GitPlace): Promise<Record<string, string>> {
  if (process.platform === "linux" && !(await isForeign(git.directory))) return {};
  const kept: Record<string, string> = {};
  for (const [key, name] of Object.entries(NOTED)) {
    const value = git.settings?.repository.get(key);
    if (value === "true" || value === "false") kept[name] = value;
  }
  return kept;
}

async function isForeign(folder: string): Promise<boolean> {
  const found = await statfs(folder).catch(() => undefined);
  return found !== undefined && FOREIGN.has(found.type >>> 0);
}
