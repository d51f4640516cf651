import { create } from "zustand";
import { type Match, type SearchQuery, searchPatch, toPattern } from "../core/text/search.ts";
import { useSession } from "./session.ts";

export interface FoundMatch extends Match {
  readonly path: string;
}

interface SearchState {
  readonly open: boolean;
  readonly query: SearchQuery;
  /** The pattern that rows highlight; undefined without a valid query. */
  readonly pattern: RegExp | undefined;
  readonly error: string | undefined;
  readonly matches: readonly FoundMatch[];
  /** Index in `matches`; -1 before the first step. */
  readonly current: number;
  /** Fraction of the diff that was searched, 0 to 1. */
  readonly progress: number;
}

const EMPTY: SearchQuery = { text: "", matchCase: false, regex: false };
/** Maximum number of matches, at which the search stops. */
export const MAX_MATCHES = 10_000;

/** The query and its matches. */
export const useSearch = create<SearchState>(() => ({
  open: false,
  query: EMPTY,
  pattern: undefined,
  error: undefined,
  matches: [],
  current: -1,
  progress: 1,
}));

let running = 0;

/** Searches again when the diff changes, because the matches are those of the previous diff. */
useSession.subscribe((state, before) => {
  const { open, query } = useSearch.getState();
  if (open && state.patches !== before.patches) void search(query);
});

/** Opens the search with the last query. */
export function openSearch(): void {
  const { open, query } = useSearch.getState();
  useSearch.setState({ open: true });
  if (!open) void search(query);
}

/** Closes the search. Keeps the query. */
export function closeSearch(): void {
  running += 1;
  useSearch.setState({ open: false, pattern: undefined, matches: [], current: -1, progress: 1 });
}

/**
 * Searches the whole diff, including patches that are not loaded, and sorts the matches in page order. Skips patches
 * that cannot be fetched. Cancels the previous search.
 */
export async function search(query: SearchQuery): Promise<void> {
  running += 1;
  const mine = running;
  const pattern = toPattern(query);
  const usable = pattern instanceof RegExp ? pattern : undefined;
  const error = typeof pattern === "string" ? pattern : undefined;
  useSearch.setState({ query, pattern: usable, error, matches: [], current: -1, progress: usable ? 0 : 1 });
  const { patches, files, index } = useSession.getState();
  if (!usable || !patches || !index) return;
  const orderByPath = new Map(files.map((file, order) => [file.path, order]));
  const found: FoundMatch[] = [];
  for (const [first, last] of patches.batches()) {
    const batch = await patches.read(first, last).catch(() => []);
    if (mine !== running) return;
    for (const [step, patch] of batch.entries()) {
      const path = index.files[first + step]?.path ?? "";
      const room = MAX_MATCHES - found.length;
      for (const match of searchPatch(patch, query, room)) found.push({ ...match, path });
    }
    const progress = (last + 1) / index.files.length;
    const matches = [...found].sort(
      (a, b) => (orderByPath.get(a.path) ?? 0) - (orderByPath.get(b.path) ?? 0),
    );
    useSearch.setState({ matches, progress });
    if (found.length >= MAX_MATCHES) break;
  }
  useSearch.setState({ progress: 1 });
}

/** Resolves when there is a match, or when the search ends without one. */
export function firstMatch(): Promise<void> {
  return new Promise((resolve) => {
    const look = ({ matches, progress }: SearchState) => {
      if (matches.length === 0 && progress < 1) return;
      stop();
      resolve();
    };
    const stop = useSearch.subscribe(look);
    look(useSearch.getState());
  });
}

/** Makes the next or previous match the current one and returns it. Wraps around at the ends. */
export function stepMatch(step: 1 | -1): FoundMatch | undefined {
  const { matches, current } = useSearch.getState();
  if (matches.length === 0) return undefined;
  const start = current < 0 && step < 0 ? 0 : current;
  const next = (start + step + matches.length) % matches.length;
  useSearch.setState({ current: next });
  return matches[next];
}
