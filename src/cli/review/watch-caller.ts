import type { CallerDoubt } from "../../review/api-types.ts";
import { readClaim, type SessionClaim } from "./agent-session.ts";
import { createTranscriptCheck, type WatchedTranscript } from "./check-transcript.ts";
import {
  type Ancestor,
  ancestorsFrom,
  countClients,
  hasEnded,
  hasLostTerminal,
  listProcesses,
} from "./process-tree.ts";

/** The facts that show whether an agent still waits for its hook. */
export interface WatchedCaller {
  /** The id of the process that started this one. */
  readonly parent: number;
  /** Whether the parent can end before the agent reads the result, like a shell that starts a background command. */
  readonly outlivesParent?: boolean | undefined;
  /** Seconds for which the agent waits for the decision, if a short limit is known. */
  readonly listensFor?: number | undefined;
  /** The agent's transcript, if it grows only while the agent works. */
  readonly transcript?: WatchedTranscript | undefined;
  readonly claim?: SessionClaim | undefined;
}

/** A caller that is being watched. */
export interface CallerWatch {
  /**
   * Checks now, in addition to the regular checks. If the check finds a sign, calls `onDoubt` before it resolves.
   */
  look(): Promise<void>;
  stop(): void;
}

interface WatchOptions {
  /** Called once, with the first sign that the agent might not read the decision. */
  readonly onDoubt: (doubt: CallerDoubt) => void;
  /** Milliseconds between two checks. */
  readonly pause?: number;
  /** See `createTranscriptCheck`. */
  readonly settle?: number;
}

const PAUSE_MS = 2_000;

/**
 * Watches for signs that an agent has continued without its hook (some agents then leave the hook running): a later
 * hook call of the same session, a growing transcript, an ended launcher, a closed terminal, or a passed time limit. A
 * sign leads to a warning and never ends the review.
 */
export function watchCaller(caller: WatchedCaller, options: WatchOptions): CallerWatch {
  const { onDoubt, pause = PAUSE_MS, settle } = options;
  const ancestors = listAncestors(caller);
  const hadClients = (countClients(caller.parent) ?? 0) > 0;
  const began = performance.now();
  const hasContinued = caller.transcript && createTranscriptCheck(caller.transcript, settle);
  let isOver = false;
  let timer: NodeJS.Timeout;
  const sign = async (): Promise<CallerDoubt | undefined> => {
    // If the parent itself ends, the review ends within about a second: see lifecycle.ts.
    const lost = await findLoss(await ancestors);
    if (lost) return lost;
    // Codex runs its hooks in a background server, whose clients are its terminals.
    if (hadClients && countClients(caller.parent) === 0) return "terminal-gone";
    const claimed = caller.claim && (await readClaim(caller.claim));
    if (claimed) return claimed;
    if (caller.listensFor !== undefined && performance.now() - began > caller.listensFor * 1_000)
      return "limit-passed";
    return (await hasContinued?.()) ? "went-on" : undefined;
  };
  const look = async () => {
    const doubt = isOver ? undefined : await sign();
    // Another check may have found a sign in the meantime.
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

async function listAncestors({
  parent,
  outlivesParent = false,
}: WatchedCaller): Promise<readonly Ancestor[]> {
  const processes = await listProcesses();
  return processes ? ancestorsFrom(parent, processes).slice(outlivesParent ? 1 : 0) : [];
}

async function findLoss(ancestors: readonly Ancestor[]): Promise<CallerDoubt | undefined> {
  const processes = ancestors.length === 0 ? undefined : await listProcesses();
  if (!processes) return undefined;
  if (ancestors.some((each) => hasLostTerminal(each, processes))) return "terminal-gone";
  return ancestors.some((each) => hasEnded(each, processes)) ? "launcher-gone" : undefined;
}
