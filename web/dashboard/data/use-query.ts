import { useCallback, useEffect, useRef, useState } from "react";
import { ApiError } from "./api.ts";

export interface Query<Data> {
  /** The last data that was loaded, possibly for another `name`; kept while newer data loads or has failed to load. */
  readonly data: Data | undefined;
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Milliseconds until a request is repeated after a failure that may be temporary. */
const RETRY_MS = 5_000;

/**
 * Loads data when the component appears, when `name` changes, and every `refreshMs` while the page is visible. Retries
 * a failed request after `RETRY_MS`, unless the proxy rejected it. `name` identifies the data that `load` returns.
 */
export function useQuery<Data>(
  name: string,
  load: (signal: AbortSignal) => Promise<Data>,
  refreshMs?: number,
): Query<Data> {
  const [state, setState] = useState<Omit<Query<Data>, "reload">>({
    data: undefined,
    error: undefined,
    isLoading: true,
  });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of name or round loads again.
  useEffect(() => {
    const aborter = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = (pause: number | undefined) => {
      if (pause === undefined || aborter.signal.aborted) return;
      timer = setTimeout(() => (document.hidden ? again(pause) : void run()), pause);
    };
    const run = async () => {
      try {
        const data = await latest.current(aborter.signal);
        if (aborter.signal.aborted) return;
        setState({ data, error: undefined, isLoading: false });
        again(refreshMs);
      } catch (error) {
        if (aborter.signal.aborted) return;
        const known = error instanceof ApiError ? error : new ApiError(0, "unknown", String(error));
        setState(({ data }) => ({ data, error: known, isLoading: false }));
        if (known.status === 0 || known.status >= 500) again(RETRY_MS);
        else again(refreshMs);
      }
    };
    setState((before) => ({ ...before, isLoading: true }));
    void run();
    return () => {
      aborter.abort();
      clearTimeout(timer);
    };
  }, [name, round, refreshMs]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  return { ...state, reload };
}
