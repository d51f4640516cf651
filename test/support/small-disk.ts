import { execFile } from "node:child_process";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

const run = promisify(execFile);

/** A separate file system that is small enough to be filled. `npm run test:disk` permits tests to mount one. */
export interface SmallDisk {
  readonly path: string;
  /** Fills the disk completely. */
  fill(): Promise<void>;
  /** Frees the space that `fill` used. */
  free(): Promise<void>;
  /** Makes the disk read-only, like a failed disk, or writable again. */
  setReadOnly(isReadOnly: boolean): Promise<void>;
}

export async function mountSmallDisk(path: string, kibibytes = 512): Promise<SmallDisk> {
  await mkdir(path, { recursive: true });
  await run("mount", ["-t", "tmpfs", "-o", `size=${kibibytes}k,mode=700`, "none", path]);
  // Processes of the test may still use the mount; it is removed with the last of them.
  const unmount = () => run("umount", ["--lazy", path]);
  let isBound = false;
  onTestFinished(async () => {
    if (isBound) await unmount();
    await unmount();
  });
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
      if (isReadOnly === isBound) return;
      isBound = isReadOnly;
      if (!isReadOnly) return void (await unmount());
      // Remounting the disk itself fails while a process has one of its files open for writing, as the ledger is.
      await run("mount", ["--bind", path, path]);
      await run("mount", ["-o", "remount,bind,ro", path]);
    },
  };
}
