import { create } from "zustand";
import type { CommitList, ReviewedCommit } from "../../../src/review/api-types.ts";
import { getJson } from "../../shared/api/client.ts";
import { useSession } from "./session.ts";

interface CommitsState {
  /** The commits under review, oldest first. */
  readonly commits: readonly ReviewedCommit[];
  /** The last diff type other than a single commit; undefined if the review began with a commit. */
  readonly whole: string | undefined;
}

export const useCommits = create<CommitsState>(() => ({ commits: [], whole: undefined }));

/** Loads the commits now and whenever the diff is taken again. */
export function followCommits(): Promise<void> {
  const note = () => {
    const { index } = useSession.getState();
    if (index && !index.commit) useCommits.setState({ whole: index.diffType });
  };
  useSession.subscribe((state, before) => {
    if (state.index === before.index) return;
    note();
    void loadCommits();
  });
  note();
  return loadCommits();
}

/** Loads the commits. After a failure, the page shows no commits. */
async function loadCommits(): Promise<void> {
  const result = await getJson<CommitList>("/api/commits");
  if (result.ok) useCommits.setState({ commits: result.value.commits });
}
