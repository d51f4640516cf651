import { create } from "zustand";
import type { CommitList, ReviewedCommit } from "../../../src/review/api-types.ts";
import { explain, getJson } from "../../shared/api/client.ts";
import { useSession } from "./session.ts";

interface CommitsState {
  /** The commits under review, oldest first. */
  readonly commits: readonly ReviewedCommit[];
  /** The last shown diff type other than a single commit; undefined if only commits were shown. */
  readonly whole: string | undefined;
}

export const useCommits = create<CommitsState>(() => ({ commits: [], whole: undefined }));

/** The last request for the commits; undefined before the first request and after a failure. */
let loading: Promise<string | undefined> | undefined;
let loads = 0;

/** Loads the commits now and whenever the diff changes. */
export async function followCommits(): Promise<void> {
  const note = () => {
    const { index } = useSession.getState();
    if (index && !index.commit) useCommits.setState({ whole: index.diffType });
  };
  useSession.subscribe((state, before) => {
    if (state.index === before.index) return;
    note();
    loading = loadCommits();
  });
  note();
  await commitsLoaded();
}

/**
 * Loads the commits of the shown diff, unless they are loaded. Resolves to undefined, or to the reason why they could
 * not be loaded.
 */
export function commitsLoaded(): Promise<string | undefined> {
  loading ??= loadCommits();
  return loading;
}

/** Loads the commits. After a failure, keeps the commits that are known. */
async function loadCommits(): Promise<string | undefined> {
  loads += 1;
  const mine = loads;
  const result = await getJson<CommitList>("/api/commits");
  // A newer request supersedes this one.
  if (mine !== loads && loading) return loading;
  if (result.ok) {
    useCommits.setState({ commits: result.value.commits });
    return undefined;
  }
  loading = undefined;
  return explain(result);
}
