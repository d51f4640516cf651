import { z } from "zod";
import type { PullAddress } from "../forge.ts";
import { type AzureApi, MAX_PAGES, PAGE } from "./api.ts";
import { type AzurePull, pullPath } from "./read-pull.ts";

const listedChange = z.object({
  changeType: z.string(),
  item: z.object({ path: z.string().nullish(), isFolder: z.boolean().nullish() }).nullish(),
  originalPath: z.string().nullish(),
  sourceServerItem: z.string().nullish(),
});
const changeEntry = listedChange.extend({ changeTrackingId: z.number() });
const changePage = z.object({ changeEntries: z.array(changeEntry), nextSkip: z.number().nullish() });

/** A changed file. */
export interface AzureChange {
  readonly path: string;
  readonly oldPath: string;
  readonly status: "added" | "modified" | "deleted" | "renamed";
}

/** A changed file of the last iteration. */
export interface TrackedChange extends AzureChange {
  /** Identifies the file in positions of comments. */
  readonly trackingId: number;
}

/** Lists the files that the last iteration changes, compared with the merge base. */
export async function readChanges(
  api: AzureApi,
  address: PullAddress,
  { iteration: last }: Pick<AzurePull, "iteration">,
): Promise<readonly TrackedChange[]> {
  const path = `${pullPath(api, address)}/iterations/${last}/changes`;
  const changes: TrackedChange[] = [];
  let skip = 0;
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const query = { $compareTo: 0, $top: 1_000, $skip: skip };
    const { changeEntries, nextSkip } = await api.json(changePage, { path, query });
    for (const { changeTrackingId: trackingId, ...entry } of changeEntries) {
      const change = toChange(entry);
      if (change) changes.push({ ...change, trackingId });
    }
    if (!nextSkip || changeEntries.length === 0) break;
    skip = nextSkip;
  }
  return changes;
}

const commitSchema = z.object({ parents: z.array(z.string()).nullish() });
const commitChanges = z.object({ changes: z.array(listedChange) });

/** Returns the files that a commit changes, and its first parent; `parent` is undefined for a root commit. */
export async function readCommitChanges(
  api: AzureApi,
  sha: string,
): Promise<{ readonly parent: string | undefined; readonly changes: readonly AzureChange[] }> {
  const path = `${api.repository}/commits/${encodeURIComponent(sha)}`;
  const { parents } = await api.json(commitSchema, { path });
  const changes: AzureChange[] = [];
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const query = { top: PAGE, skip: count * PAGE };
    const page = await api.json(commitChanges, { path: `${path}/changes`, query });
    changes.push(...page.changes.flatMap((entry) => toChange(entry) ?? []));
    if (page.changes.length < PAGE) break;
  }
  return { parent: parents?.[0], changes };
}

function toChange({
  changeType,
  item,
  originalPath,
  sourceServerItem,
}: z.infer<typeof listedChange>): AzureChange | undefined {
  const source = originalPath ?? sourceServerItem;
  const given = item?.path ?? source;
  const kinds = changeType.split(",").map((kind) => kind.trim());
  // Azure DevOps lists a rename twice; the entry of its old path is skipped.
  if (!given || item?.isFolder || kinds.includes("sourceRename")) return undefined;
  const path = given.replace(/^\//, "");
  const oldPath = source?.replace(/^\//, "") ?? path;
  const status = kinds.includes("add")
    ? "added"
    : kinds.includes("delete")
      ? "deleted"
      : kinds.includes("rename") && oldPath !== path
        ? "renamed"
        : "modified";
  return { path, oldPath, status };
}
