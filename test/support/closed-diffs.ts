import { readdirSync, readlinkSync } from "node:fs";
import { afterAll, expect, vi } from "vitest";

// Node.js 26 and newer throw when a file handle that is still open is garbage collected, in any later test. So each
// file closes the stored diffs it opened.
afterAll(async () => {
  await vi.waitFor(() => expect(listOpenDiffs()).toEqual([]), { timeout: 10_000 });
});

/** Returns the stored diffs that this process has open; none where the system does not list open files. */
function listOpenDiffs(): string[] {
  try {
    return readdirSync("/proc/self/fd").flatMap((fd) => findDiff(`/proc/self/fd/${fd}`));
  } catch {
    return [];
  }
}

function findDiff(link: string): string[] {
  try {
    return readlinkSync(link).match(/sallyport-diff-\w+/) ?? [];
  } catch {
    return [];
  }
}
