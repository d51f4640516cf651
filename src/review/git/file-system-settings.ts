import { statfs } from "node:fs/promises";
import type { GitPlace } from "./run-git.ts";

/** What a repository notes of the file system it lies on. Where that has links and modes, none of it is believed. */
const NOTED = {
  "core.filemode": "fileMode",
  "core.symlinks": "symlinks",
  "core.ignorecase": "ignoreCase",
  "core.precomposeunicode": "precomposeUnicode",
} as const;

/** File systems of Linux (statfs(2), `f_type`) without modes or links of their own: 9p, drvfs, FAT, exFAT, NTFS, CIFS, SMB, FUSE. */
const FOREIGN = new Set([
  0x01021997, 0x53464846, 0x4d44, 0x2011bab0, 0x5346544e, 0x7366746e, 0xff534d42, 0xfe534d42, 0x65735546,
]);

/** Returns the settings of `core` that the file system calls for, as the repository has them. */
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
