import { execFile } from "node:child_process";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

const run = promisify(execFile);

/** A file system of its own, so small that it can be filled; `npm run test:disk` lets tests mount one. */
export interface SmallDisk {
  readonly path: string;
  /** Takes the last byte. */
  fill(): Promise<void>;
  /** Gives back what `fill` took. */
  free(): Promise<void>;
  /** As a disk becomes that has failed, and is no more once it is mended. */
  setReadOnly(isReadOnly: boolean): Promise<void>;
}

export async function mountSmallDisk(path: string, kibibytes = 512): Promise<SmallDisk> {
  await mkdir(path, { recursive: true });
  await run("mount", ["-t", "tmpfs", "-o", `size=${kibibytes}k,mode=700`, "none", path]);
  // The processes of the test may hold it still; the mount goes with the last of them.
  onTestFinished(async () => void (await run("umount", ["--lazy", path])));
  const ballast = join(path, "ballast");
  return {
    path,
    async fill() {
      const file = await open(ballast, "a", 0o600);
      try {
        for (;;) await file.write(Buffer.alloc(4_096));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      } finally {
        await file.close();
      }
    },
    free: () => rm(ballast),
    async setReadOnly(isReadOnly) {
      await run("mount", ["-o", `remount,${isReadOnly ? "ro" : "rw"}`, path]);
    },
  };
}
