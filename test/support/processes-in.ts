import { readdir, readFile, readlink } from "node:fs/promises";

/** The command lines of processes whose working directory is in a folder (Linux). */
export async function processesIn(folder: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => "");
      if (cwd !== folder && !cwd.startsWith(`${folder}/`)) return [];
      const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      return line === "" ? [] : [line.replaceAll("\0", " ")];
    }),
  );
  return found.flat();
}
