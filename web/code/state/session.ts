import { create } from "zustand";
import { treeOrder } from "../../../src/render/diff/patch/file-tree.ts";
import type {
  CallerDoubt,
  DiffFile,
  DiffIndex,
  DiffSwitchAnswer,
  DiffSwitchBody,
  FileText,
} from "../../../src/review/api-types.ts";
import { explain, getJson, type Result, sendJson } from "../../shared/api/client.ts";
import { renewPageToken } from "../../shared/api/page-token.ts";
import { applyTheme } from "../../shared/theme/theme.ts";
import { PatchStore } from "./patch-store.ts";
import { applySettings, forgetTexts, useView } from "./view.ts";

/** The diff on screen, and whether its server still listens. */
interface SessionState {
  readonly phase: "loading" | "ready" | "failed" | "sent";
  readonly failure: string;
  readonly index: DiffIndex | undefined;
  /** In the order the page shows them. */
  readonly files: readonly DiffFile[];
  readonly patches: PatchStore | undefined;
  /** Raised whenever patches have come, gone or failed. */
  readonly patchVersion: number;
  readonly connected: boolean;
  /** The working tree has changed since the diff was made. */
  readonly stale: boolean;
  readonly switching: boolean;
  /** What was sent, for the last screen. */
  readonly sent:
    | { readonly feedback: string; readonly approved: boolean; readonly warnings: readonly string[] }
    | undefined;
  readonly closing: string | undefined;
  /** Why the agent may not read the feedback. */
  readonly doubt: CallerDoubt | undefined;
  /** A review of other work has this address by now. */
  readonly isReplaced: boolean;
}

export const useSession = create<SessionState>(() => ({
  phase: "loading",
  failure: "",
  index: undefined,
  files: [],
  patches: undefined,
  patchVersion: 0,
  connected: true,
  stale: false,
  switching: false,
  sent: undefined,
  closing: undefined,
  doubt: undefined,
  isReplaced: false,
}));

/** Files that fill the first window, as a guess. */
const FIRST_FILES = 4;

/** Called with the positions of files whose patch came, went or failed. */
type PatchListener = (indexes: readonly number[]) => void;
const listeners = new Set<PatchListener>();

/** Hears of patches before React does; returns the way to stop. */
export function onPatches(listener: PatchListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let loads = 0;

/** The first load. What the server remembers of the person's view is taken over before anything is shown. */
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

/** Fetches the index; `whitespace` false leaves out changes of whitespace alone. */
export async function loadDiff(whitespace: boolean): Promise<Result<DiffIndex>> {
  loads += 1;
  const mine = loads;
  const result = await fetchIndex(whitespace);
  // What was asked for later counts, whatever is answered first.
  if (mine !== loads) return result;
  if (result.ok && isOfOtherWork(result.value)) useSession.setState({ isReplaced: true });
  else if (result.ok) showDiff(result.value, whitespace);
  else if (useSession.getState().index === undefined) {
    useSession.setState({ phase: "failed", failure: explain(result) });
  }
  return result;
}

/**
 * Looks what is under review now that another server answers at this address: the same diff, with which the page goes
 * on, a newer one of the same branch, or other work, which is never mixed with the comments that are here.
 */
export async function meetServer(sessionId: string): Promise<void> {
  const known = useSession.getState().index;
  if (!known || known.sessionId === sessionId) return;
  await renewPageToken();
  const result = await fetchIndex(useView.getState().whitespace);
  if (!result.ok) return;
  if (isOfOtherWork(result.value)) useSession.setState({ isReplaced: true, closing: undefined });
  else if (result.value.diffId === known.diffId)
    useSession.setState({ index: result.value, closing: undefined });
  else useSession.setState({ stale: true, closing: undefined });
}

function isOfOtherWork({ reviewId }: DiffIndex): boolean {
  const known = useSession.getState().index;
  return known !== undefined && known.reviewId !== reviewId;
}

function fetchIndex(whitespace: boolean): Promise<Result<DiffIndex>> {
  return getJson<DiffIndex>(`/api/diff/index${whitespace ? "" : "?w=1"}`);
}

/** Makes the server show another diff, then fetches it. A refused switch leaves everything as it is. */
export async function switchDiff(diffType: string, whitespace: boolean): Promise<Result<DiffIndex>> {
  useSession.setState({ switching: true });
  const body: DiffSwitchBody = { diffType, patch: false };
  const switched = await sendJson<DiffSwitchAnswer>("POST", "/api/diff/switch", body);
  const result = switched.ok ? await loadDiff(whitespace) : switched;
  useSession.setState({ switching: false });
  return result;
}

/** The whole text of one side of a file. */
export function loadFileText(path: string, side: "old" | "new"): Promise<Result<FileText>> {
  return getJson<FileText>(`/api/file?path=${encodeURIComponent(path)}&side=${side}`);
}

function showDiff(index: DiffIndex, whitespace: boolean): void {
  useSession.getState().patches?.close();
  const patches: PatchStore = new PatchStore(index.files, fetcher(index.diffId, whitespace), (indexes) => {
    if (useSession.getState().patches !== patches) return;
    for (const listener of listeners) listener(indexes);
    useSession.setState(({ patchVersion }) => ({ patchVersion: patchVersion + 1 }));
  });
  forgetTexts();
  for (const { index: at, patch } of index.opening) patches.put(at, patch);
  const files = treeOrder(index.files);
  // What will be at the top is asked for before anything is laid out.
  patches.want(files.slice(0, FIRST_FILES).map((file) => file.index));
  useSession.setState({ phase: "ready", index, files, patches, stale: false });
}

function fetcher(diffId: string, whitespace: boolean) {
  const suffix = `&id=${encodeURIComponent(diffId)}${whitespace ? "" : "&w=1"}`;
  return async (first: number, last: number, signal: AbortSignal): Promise<Uint8Array> => {
    const response = await fetch(`/api/diff/patch?n=${first}-${last}${suffix}`, { signal });
    // Another page has made the server take the diff again.
    if (response.status === 409) useSession.setState({ stale: true });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  };
}
