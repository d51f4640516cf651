import { chmod, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { systemErrorCode } from "../../errors.ts";

/** Makes a folder and those above it that are missing, for their owner alone. */
export async function makePrivateFolder(path: string): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: 0o700 }).catch((error) =>
    makeStepwise(path, error),
  );
  // The process's umask can only have taken rights away; a folder that was there keeps its own.
  if (made !== undefined && process.platform !== "win32") await chmod(path, 0o700);
}

/** Node says of a folder that cannot be made on a read-only disk that it is not there; step by step the system says why. */
async function makeStepwise(path: string, error: unknown): Promise<string> {
  const above = dirname(path);
  if (systemErrorCode(error) !== "ENOENT" || above === path) throw error;
  await makePrivateFolder(above);
  await mkdir(path, { mode: 0o700 });
  return path;
}
