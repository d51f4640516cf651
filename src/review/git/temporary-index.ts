import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Calls `use` with the environment under which git works on the index that `write` creates in a temporary folder. The
 * repository's own index is neither read nor written.
 */
export async function withTemporaryIndex<Result>(
  write: (path: string) => Promise<void>,
  use: (environment: Record<string, string>) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-index-"));
  try {
    const index = join(folder, "index");
    await write(index);
    return await use({ GIT_INDEX_FILE: index });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
