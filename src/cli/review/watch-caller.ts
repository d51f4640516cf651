import { readFile, stat } from "node:fs/promises";
import type { CallerDoubt } from "../../review/api-types.ts";
import { ancestorsFrom, hasEnded, hasLostTerminal } from "./process-tree.ts";

/** The facts that show whether an agent still waits for its hook. */
export interface WatchedCaller {
  /** The process that started the review. */
  readonly parent: number;
  /** Seconds for which the agent waits for the decision, if that is known to be short. */
  readonly listensFor?: number | undefined;
  /** The agent's transcript, if it grows only once the agent goes on. */
  readonly transcript?: string | undefined;
  /** The file in which the latest review of an agent session writes its id. */
  readonly claim?: { readonly path: string; readonly sessionId: string } | undefined;
}

/** A caller that is being watched. */
export interface CallerWatch {
  /** Checks now, besides the regular checks. Resolves after `onDoubt` was called for a sign that it found. */
  look(): Promise<void>;
  stop(): void;
}

interface WatchOptions {
  /** Called once, with the first sign that the agent may not read the decision. */
  readonly onDoubt: (doubt: CallerDoubt) => void;
  /** Milliseconds between two checks. */
  readonly pause?: number;
  /** Milliseconds in which the agent may still write transcript entries from before the review. */
  readonly settle?: number;
}

const PAUSE_MS = 2_000;
const SETTLE_MS = 5_000;

/**
 * Watches for signs that an agent has gone on without its hook, which some agents leave running: a second review of
 * the same session, a growing transcript, an ended launcher, a closed terminal, a passed time limit. A sign leads to
 * a warning and never ends the review.
 */
export function watchCaller(caller: WatchedCaller, options: WatchOptions): CallerWatch {
  const { onDoubt, pause = PAUSE_MS, settle = SETTLE_MS } = options;
  const ancestors = ancestorsFrom(caller.parent);
  const began = performance.now();
  let known: number | undefined;
  let isOver = false;
  let timer: NodeJS.Timeout;
  const sign = async (): Promise<CallerDoubt | undefined> => {
    if (ancestors.some(hasLostTerminal)) return "terminal-gone";
    // If the parent itself ends, the review ends a little later: see lifecycle.ts.
    if (ancestors.some(hasEnded)) return "launcher-gone";
    if (await isClaimedByOther(caller.claim)) return "asked-again";
    if (caller.listensFor !== undefined && performance.now() - began > caller.listensFor * 1_000)
      return "limit-passed";
    const size = await readSize(caller.transcript);
    const hasGrown = known !== undefined && size !== undefined && size > known;
    if (performance.now() - began < settle || known === undefined) known = size;
    return hasGrown && performance.now() - began >= settle ? "went-on" : undefined;
  };
  const look = async () => {
    const doubt = isOver ? undefined : await sign();
    // Another check may have found a sign meanwhile.
    if (isOver || doubt === undefined) return;
    stop();
    onDoubt(doubt);
  };
  const schedule = () => {
    timer = setTimeout(async () => {
      await look();
      if (!isOver) schedule();
    }, pause).unref();
  };
  const stop = () => {
    isOver = true;
    clearTimeout(timer);
  };
  schedule();
  return { look, stop };
}

async function isClaimedByOther(claim: WatchedCaller["claim"]): Promise<boolean> {
  if (!claim) return false;
  const owner = await readFile(claim.path, "utf8").catch(() => claim.sessionId);
  return owner.trim() !== claim.sessionId;
}

async function readSize(path: string | undefined): Promise<number | undefined> {
  if (path === undefined) return undefined;
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}
