import { create } from "zustand";
import type { ChangedSymbol, DiffFile, DiffSymbols } from "../../../src/review/api-types.ts";
import { explain, getJson } from "../../shared/api/client.ts";
import { announce, showToast } from "../../shared/components/toast.tsx";
import { useSession } from "./session.ts";
import { useView } from "./view.ts";

interface SymbolsState {
  /** Whether the file tree lists the changed symbols. */
  readonly isShown: boolean;
  readonly isLoading: boolean;
  /** Changed symbols by path in the current diff. */
  readonly files: ReadonlyMap<string, readonly ChangedSymbol[]>;
}

export const useSymbols = create<SymbolsState>(() => ({
  isShown: false,
  isLoading: false,
  files: new Map(),
}));

const { setState: set } = useSymbols;

/** Shows or hides the changed functions and types in the file tree. */
export async function toggleSymbols(): Promise<void> {
  const { isShown } = useSymbols.getState();
  set({ isShown: !isShown });
  if (isShown) return;
  follow();
  useView.setState({ treeOpen: true });
  await load();
}

let isFollowing = false;

/** Loads the symbols whenever another diff is shown, while the file tree lists them. */
function follow(): void {
  if (isFollowing) return;
  isFollowing = true;
  useSession.subscribe((state, before) => {
    if (state.index === before.index && state.since === before.since) return;
    set({ files: new Map() });
    if (useSymbols.getState().isShown) void load();
  });
}

async function load(): Promise<void> {
  const { index, since, diffQuery } = useSession.getState();
  // Symbols have the line numbers of the whole diff, so they are not loaded for the changes since a round.
  if (!index || since !== undefined) return;
  set({ isLoading: true });
  const result = await getJson<DiffSymbols>(`/api/diff/symbols?${diffQuery}`);
  const now = useSession.getState();
  if (now.index !== index || now.since !== since) return;
  set({ isLoading: false });
  if (!result.ok) {
    set({ isShown: false });
    showToast(`Cannot list the symbols: ${explain(result)}`, { tone: "danger" });
    return;
  }
  const files = new Map(result.value.files.map(({ path, symbols }) => [path, symbols]));
  set({ files });
  const count = [...files.values()].reduce((sum, symbols) => sum + symbols.length, 0);
  announce(count === 1 ? "1 changed symbol" : `${count} changed symbols`);
}

/** Returns whether the server has complete texts to parse. In a saved page, no file has a complete text. */
export function hasTexts(files: readonly DiffFile[]): boolean {
  return files.some(({ binary, hunksOnly }) => !binary && !hunksOnly);
}
