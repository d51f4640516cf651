import { z } from "zod";
import { type ForgeClient, readIfFound, readPages } from "../client.ts";
import type { ListedChange } from "../compose-patch.ts";
import type { PullAddress, PullRequest } from "../forge.ts";
import { makePatch } from "../make-patch.ts";
import { projectPath } from "./api.ts";
import { mergeRequestPath } from "./read-merge-request.ts";

const change = z.object({
  old_path: z.string(),
  new_path: z.string(),
  a_mode: z.string().nullish(),
  b_mode: z.string().nullish(),
  new_file: z.boolean(),
  deleted_file: z.boolean(),
  renamed_file: z.boolean(),
  diff: z.string(),
  collapsed: z.boolean().nullish(),
  too_large: z.boolean().nullish(),
});

/** Reads the diff in git's format, or file by file from versions of GitLab without the route `raw_diffs`. */
export async function readPatch(
  client: ForgeClient,
  address: PullAddress,
  { base, head }: Pick<PullRequest, "base" | "head">,
): Promise<Buffer> {
  const path = mergeRequestPath(address);
  const raw = await readIfFound(client, { path: `${path}/raw_diffs`, accept: "text/plain, */*" });
  return raw ?? readDiffs(client, address, `${path}/diffs`, { old: base.sha, new: head.sha });
}

/** Reads the diff of one commit. */
export function readCommitPatch(client: ForgeClient, address: PullAddress, sha: string): Promise<Buffer> {
  const path = `${projectPath(address)}/repository/commits/${sha}/diff`;
  return readDiffs(client, address, path, { old: `${sha}^`, new: sha });
}

/**
 * Reads a list of changes. GitLab leaves out the lines of large files and, once a diff exceeds a total size, of all
 * further files. The patch of such a file is made from its content.
 */
async function readDiffs(
  client: ForgeClient,
  address: PullAddress,
  path: string,
  commits: Readonly<Record<"old" | "new", string>>,
): Promise<Buffer> {
  const changes = await readPages(client, z.array(change), { path });
  const files = changes.map((listed) => ({
    path: listed.new_path,
    oldPath: listed.old_path,
    status: statusOf(listed),
    oldMode: modeOf(listed.a_mode),
    newMode: modeOf(listed.b_mode),
    hunks: isLeftOut(listed) ? undefined : isBinary(listed) ? "" : listed.diff,
    isBinary: isBinary(listed),
  }));
  return makePatch(files, (name, side) => readFile(client, address, name, commits[side]));
}

/** Reports whether the lines of a change are left out. Older versions of GitLab return only an empty diff for it. */
function isLeftOut(listed: z.infer<typeof change>): boolean {
  if (listed.diff !== "") return false;
  const isSameMode = (listed.a_mode ?? "") === (listed.b_mode ?? "");
  return (
    listed.collapsed === true || listed.too_large === true || (statusOf(listed) === "modified" && isSameMode)
  );
}

/** Reports whether GitLab returns git's line for a binary file instead of hunks. */
function isBinary({ diff }: z.infer<typeof change>): boolean {
  return diff.startsWith("Binary files ");
}

function statusOf({ new_file, deleted_file, renamed_file }: z.infer<typeof change>): ListedChange["status"] {
  if (new_file) return "added";
  return deleted_file ? "deleted" : renamed_file ? "renamed" : "modified";
}

/** Returns a file mode; undefined for 0, the mode of a side that does not exist. */
function modeOf(mode: string | null | undefined): string | undefined {
  return mode === "0" ? undefined : (mode ?? undefined);
}

/** Reads a file of a commit; undefined if the commit does not have it. */
export function readFile(
  client: ForgeClient,
  address: PullAddress,
  path: string,
  sha: string,
): Promise<Buffer | undefined> {
  return readIfFound(client, {
    path: `${projectPath(address)}/repository/files/${encodeURIComponent(path)}/raw`,
    query: { ref: sha },
    accept: "*/*",
  });
}
