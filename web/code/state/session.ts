import { create } from "zustand";
import { treeOrder } from "../../../src/render/diff/patch/file-tree.ts";
import type {
  CallerDoubt,
  DiffFile,
  DiffIndex,
  DiffInterdiff,
  DiffSwitchBody,
  DiffSwitchResponse,
  FileText,
} from "../../../src/review/api-types.ts";
import { explain, getJson, type Result, sendJson } from "../../shared/api/client.ts";
import { renewPageToken } from "../../shared/api/page-token.ts";
import { applyTheme } from "../../shared/theme/theme.ts";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { type FetchPatches, PatchStore } from "./patch-store.ts";
import { applySettings, forgetTexts, useView } from "./view.ts";

/** The current diff and the state of its server. */
interface SessionState {
  readonly phase: "loading" | "ready" | "failed" | "sent";
  readonly failure: string;
  readonly index: DiffIndex | undefined;
  /** The query of requests, which names the whole diff; empty in a saved page, which has no server. */
  readonly diffQuery: string;
  /** The files in the order of the page. */
  readonly files: readonly DiffFile[];
  readonly patches: PatchStore | undefined;
  /** The round of the feedback since which changes are shown; undefined while the whole diff is shown. */
  readonly since: number | undefined;
  /** Increases at each call of `onChange` by the current `PatchStore`. */
  readonly patchVersion: number;
  readonly connected: boolean;
  /** Whether the diff on the page is out of date, for example because the working tree has changed. */
  readonly stale: boolean;
  readonly switching: boolean;
  /** The feedback that was sent, for the final screen. */
  readonly sent:
    | {
        readonly feedback: string;
        readonly approved: boolean;
        readonly warnings: readonly string[];
        /** Set if a live review was finished. */
        readonly isLive?: true;
      }
    | undefined;
  readonly closing: string | undefined;
  /** The reason why the agent might not read the feedback. */
  readonly doubt: CallerDoubt | undefined;
  /** Whether another review is now served at this address. */
  readonly isReplaced: boolean;
}

export const useSession = create<SessionState>(() => ({
  phase: "loading",
  failure: "",
  index: undefined,
  diffQuery: "",
  files: [],
  patches: undefined,
  since: undefined,
  patchVersion: 0,
  connected: true,
  stale: false,
  switching: false,
  sent: undefined,
  closing: undefined,
  doubt: undefined,
  isReplaced: false,
}));

/** Estimated number of files that fill the first window. */
const FIRST_FILES = 4;

/** Called with the file indexes that a `PatchStore` passes to its `onChange`. */
type PatchListener = (indexes: readonly number[]) => void;
const listeners = new Set<PatchListener>();

/**
 * Subscribes to changes of patches. The listener runs before React renders. Returns a function that
 * unsubscribes.
 */
export function onPatches(listener: PatchListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let loads = 0;

/** Loads the first diff. Applies the stored settings before anything is rendered. */
export async function openDiff(): Promise<Result<DiffIndex>> {
  const result = await fetchIndex(true);
  if (!result.ok) {
    useSession.setState({ phase: "failed", failure: explain(result) });
    return result;
  }
  applyTheme(result.value.settings.theme);
  applySettings(result.value.settings);
  if (!useView.getState().whitespace) return loadDiff(false);
  showDiff(result.value, true);
  return result;
}

/**
 * Fetches the index and shows the diff, unless the address now serves another review. `whitespace: false` omits
 * whitespace-only changes.
 */
export async function loadDiff(whitespace: boolean): Promise<Result<DiffIndex>> {
  loads += 1;
  const mine = loads;
  const result = await fetchIndex(whitespace);
  // A newer request supersedes this one.
  if (mine !== loads) return result;
  if (result.ok && isOtherReview(result.value)) useSession.setState({ isReplaced: true });
  else if (result.ok) showDiff(result.value, whitespace);
  else if (useSession.getState().index === undefined) {
    useSession.setState({ phase: "failed", failure: explain(result) });
  }
  return result;
}

/**
 * Checks which review is open after the server at this address was replaced. If the server has the same diff,
 * the page continues with it. If it has another diff of this review, the page's diff is reported as stale; if it has
 * another review, this one is reported as replaced.
 */
export async function handleServerChange(sessionId: string): Promise<void> {
  const known = useSession.getState().index;
  if (!known || known.sessionId === sessionId) return;
  await renewPageToken();
  const result = await fetchIndex(useView.getState().whitespace);
  if (!result.ok) return;
  if (isOtherReview(result.value)) {
    useSession.setState({ isReplaced: true, closing: undefined });
    return;
  }
  followLive(result.value);
  if (result.value.diffId === known.diffId) useSession.setState({ index: result.value, closing: undefined });
  else useSession.setState({ stale: true, closing: undefined });
}

function isOtherReview({ reviewId }: DiffIndex): boolean {
  const known = useSession.getState().index;
  return known !== undefined && known.reviewId !== reviewId;
}

function fetchIndex(whitespace: boolean): Promise<Result<DiffIndex>> {
  return getJson<DiffIndex>(`/api/diff/index${whitespace ? "" : "?w=1"}`);
}

/**
 * Switches the server to another diff and fetches it. If the server rejects the switch, the page does not
 * change.
 */
export async function switchDiff(diffType: string, whitespace: boolean): Promise<Result<DiffIndex>> {
  useSession.setState({ switching: true });
  const body: DiffSwitchBody = { diffType, patch: false };
  const switched = await sendJson<DiffSwitchResponse>("POST", "/api/diff/switch", body);
  const result = switched.ok ? await loadDiff(whitespace) : switched;
  useSession.setState({ switching: false });
  return result;
}

/** Fetches the text of one side of a file as the shown diff has it. Fails if the server has another diff. */
export async function loadFileText(path: string, side: "old" | "new"): Promise<Result<FileText>> {
  const { diffQuery } = useSession.getState();
  const result = await getJson<FileText>(
    `/api/file?path=${encodeURIComponent(path)}&side=${side}&${diffQuery}`,
  );
  if (!result.ok && result.reason === "refused") noteConflict(result.status);
  return result;
}

/** Reports the diff as stale if the server has another one, because another tab has refreshed or switched it. */
function noteConflict(status: number): void {
  if (status === 409) useSession.setState({ stale: true });
}

function showDiff(index: DiffIndex, whitespace: boolean): void {
  const diffQuery = `id=${encodeURIComponent(index.diffId)}${whitespace ? "" : "&w=1"}`;
  followLive(index);
  showPatches(index, diffQuery, fetcher(diffQuery));
}

/** Stores whether the review is live, its round and its agent. Another server can follow at this address. */
function followLive({ live }: DiffIndex): void {
  useThreads.setState({ live });
}

/** Shows the diff of a saved page, which has no server. `patches` are in the order of the files. */
export function showSharedDiff(index: DiffIndex, patches: readonly string[]): void {
  const encoder = new TextEncoder();
  showPatches(index, "", async (first, last) => encoder.encode(patches.slice(first, last + 1).join("")));
}

function showPatches(index: DiffIndex, diffQuery: string, fetchPatches: FetchPatches): void {
  const patches = openPatches(index.files, fetchPatches);
  for (const { index: at, patch } of index.opening) patches.put(at, patch);
  const files = treeOrder(index.files);
  // Requests the first files before the layout starts.
  patches.want(files.slice(0, FIRST_FILES).map((file) => file.index));
  useSession.setState({ phase: "ready", index, diffQuery, files, patches, since: undefined, stale: false });
}

/** Creates the patch store of another diff. Closes the current store and clears the texts of its diff. */
function openPatches(files: readonly DiffFile[], fetchPatches: FetchPatches): PatchStore {
  useSession.getState().patches?.close();
  const patches: PatchStore = new PatchStore(files, fetchPatches, (indexes) => {
    if (useSession.getState().patches !== patches) return;
    for (const listener of listeners) listener(indexes);
    useSession.setState(({ patchVersion }) => ({ patchVersion: patchVersion + 1 }));
  });
  forgetTexts();
  return patches;
}

/**
 * Shows only the changes since the feedback of a round, by default of the last one. After a failure, the page does not
 * change. `loadDiff` shows the whole diff again.
 */
export async function showSince(round?: number): Promise<Result<DiffInterdiff>> {
  const query = round === undefined ? "" : `?round=${round}`;
  const result = await getJson<DiffInterdiff>(`/api/diff/interdiff${query}`);
  if (!result.ok) return result;
  const { files, rawPatch } = result.value;
  const bytes = new TextEncoder().encode(rawPatch);
  const starts = [0];
  for (const { patchSize } of files) starts.push((starts.at(-1) ?? 0) + patchSize);
  const patches = openPatches(files, async (first, last) => bytes.subarray(starts[first], starts[last + 1]));
  useSession.setState({ files: treeOrder(files), patches, since: result.value.round });
  return result;
}

function fetcher(diffQuery: string) {
  return async (first: number, last: number, signal: AbortSignal): Promise<Uint8Array> => {
    const response = await fetch(`/api/diff/patch?n=${first}-${last}&${diffQuery}`, { signal });
    noteConflict(response.status);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  };
}
