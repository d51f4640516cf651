import type { LiveAgent, LiveBatch, LiveState } from "../api-types.ts";
import { type Decision, toFinalEvent } from "../decision.ts";
import type { EventHub } from "../events.ts";
import { createIdleTimer } from "./idle-timer.ts";
import {
  batchContent,
  composeBatch,
  lastDelivered,
  pendingBatches,
  type StoredBatch,
} from "./session-log.ts";
import { repeatedEnd, type TakenBatch } from "./taken-batch.ts";
import { deriveId, newId, type ThreadStore } from "./thread-store.ts";

export interface WaitOptions {
  /** Seconds; undefined: no limit. */
  readonly timeout: number | undefined;
  /** Aborted when the agent disconnects. */
  readonly signal: AbortSignal;
  /** The name that the agent gave; empty if it gave none. */
  readonly agent: string;
  /** Set if the agent might not read the output of the waiting client; other waiting clients are served first. */
  readonly isDoubtful?: boolean | undefined;
}

/** A review that stays open while the person and agents work through it. */
export interface LiveSession {
  readonly store: ThreadStore;
  readonly state: LiveState;
  /** Whether the final batch exists or is being added. */
  readonly isClosed: boolean;
  /** Whether a batch waits for an agent that has disconnected. */
  readonly isDeserted: boolean;
  /**
   * Sends a text, the person's unsent messages and newly accepted findings to the agent. A repeated call with the same
   * key and text, for example after a lost response, does not send the text again.
   */
  send(feedback: string, idempotencyKey?: string): Promise<void>;
  /** Reports whether `send` has sent the text with this key. */
  hasSent(feedback: string, idempotencyKey: string | undefined): boolean;
  /** Waits for a batch. Resolves to undefined after the time limit, or when the agent disconnects. */
  take(options: WaitOptions): Promise<TakenBatch | undefined>;
  /** Records the delivery of a batch whose response is closed. Resolves to false for an unknown batch. */
  recordDelivery(id: string): Promise<boolean>;
  /** Returns the last batch whose delivery is recorded; undefined if there is none. */
  again(): LiveBatch | undefined;
  /**
   * Starts the next round and announces it, if `refresh` resolves to true. The round begins with the call of
   * `onTaken`, so that comments on the new content belong to it. Returns the number of the current round.
   */
  nextRound(refresh: (onTaken: () => void) => Promise<boolean>): Promise<number>;
  /** Records the status text of an agent, for the page. */
  setProgress(text: string, agent: string): void;
  /** Records that an agent has called. */
  sawAgent(agent: string): void;
  /** Adds the final batch. With `unsent`, it contains the person's unsent messages and newly accepted findings. */
  close(event: "approved" | "ended", feedback: string, unsent: boolean): Promise<void>;
  /** Adds the final batch of a decision. */
  decided(decision: Decision): Promise<void>;
  /** Records that the review was interrupted, so that the next review takes over its threads. */
  interrupt(): Promise<void>;
  /** Resolves once no batch is being sent to an agent, or after a time limit in milliseconds. */
  settled(limit: number): Promise<void>;
  /** Takes the batches that no client has received or is receiving. */
  untaken(): readonly TakenBatch[];
  /** Restarts the timer that ends a review without pages and agents. */
  touch(): void;
  /** Stops the timer that `touch` restarts. */
  stop(): void;
}

export interface LiveSessionOptions {
  readonly store: ThreadStore;
  readonly events: EventHub;
  /** Name of the agent that opened the review; empty if it gave none. */
  readonly agent: string;
  readonly firstRound: number;
  /** Seconds without any page or agent after which `onIdle` is called. */
  readonly idle: number;
  readonly onIdle: () => void;
  /** Called for each new round. */
  readonly onRound?: (() => void) | undefined;
}

interface Waiter {
  readonly isDoubtful: boolean;
  readonly resolve: (batch: TakenBatch | undefined) => void;
}

/** Creates the session of a live review. */
export function createLiveSession(options: LiveSessionOptions): LiveSession {
  const { store, events } = options;
  const waiters: Waiter[] = [];
  /** Ids of batches that are being sent to an agent. */
  const leased = new Set<string>();
  let agent: LiveAgent = { name: options.agent, state: "none" };
  let onSettled = () => {};
  let isClosing = false;
  store.log.round = Math.max(store.log.round, options.firstRound);

  const isAwaited = () => waiters.some(({ isDoubtful }) => !isDoubtful);
  const idle = createIdleTimer(options.idle * 1_000, () => events.isConnected || isAwaited(), options.onIdle);

  const setAgent = (next: LiveAgent) => {
    const isSame = next.name === agent.name && next.state === agent.state && next.progress === agent.progress;
    agent = next;
    if (!isSame) events.send({ event: "agent", ...agent });
  };
  const setAgentState = (state: LiveAgent["state"], name = "") => {
    const { progress } = agent;
    const keeps = progress !== undefined && state === "working";
    setAgent({ name: name || agent.name, state, ...(keeps ? { progress } : {}) });
  };
  const showUnlessAwaited = (state: LiveAgent["state"], name = "") => {
    if (!isAwaited()) setAgentState(state, name);
  };
  const recordDelivered = (batch: string) =>
    store.write([{ op: "delivered", batch, at: new Date().toISOString() }]);
  const lease = (sent: StoredBatch): TakenBatch => {
    leased.add(sent.id);
    const settle = () => {
      leased.delete(sent.id);
      if (leased.size === 0) onSettled();
    };
    return {
      id: sent.id,
      content: batchContent(store.log, sent),
      async confirm() {
        try {
          await recordDelivered(sent.id);
        } finally {
          settle();
        }
      },
      release() {
        settle();
        dispatch();
      },
    };
  };
  const available = (): TakenBatch | undefined => {
    const next = pendingBatches(store.log).find(({ id }) => !leased.has(id));
    if (next) return lease(next);
    const final = store.log.batches.at(-1);
    return final && final.event !== "feedback" ? repeatedEnd(batchContent(store.log, final)) : undefined;
  };
  const dispatch = () => {
    while (waiters.length > 0) {
      const batch = available();
      if (!batch) return;
      (waiters.find(({ isDoubtful }) => !isDoubtful) ?? waiters[0])?.resolve(batch);
    }
  };
  const compose = (event: StoredBatch["event"], feedback: string, withThreads: boolean, id = newId("b")) =>
    composeBatch(store.log, { id, event, feedback, withThreads, now: Date.now() });
  const add = async (batch: StoredBatch) => {
    const isFinal = batch.event !== "feedback";
    await store.write([
      { op: "batch", batch },
      ...(isFinal ? [{ op: "closed", reason: "final" } as const] : []),
    ]);
    dispatch();
  };
  const hasSent: LiveSession["hasSent"] = (feedback, idempotencyKey) => {
    const sent = deriveId("b", idempotencyKey, [feedback]);
    return store.log.batches.some(({ id }) => id === sent);
  };
  const close: LiveSession["close"] = async (event, feedback, unsent) => {
    isClosing = true;
    try {
      await add(compose(event, feedback, unsent));
    } catch (error) {
      isClosing = false;
      throw error;
    }
  };

  return {
    store,
    get state() {
      return { round: store.log.round, agent };
    },
    get isClosed() {
      return isClosing;
    },
    get isDeserted() {
      return agent.state === "gone" && pendingBatches(store.log).length > 0;
    },
    hasSent,
    async send(feedback, idempotencyKey) {
      const isRepeated = hasSent(feedback, idempotencyKey);
      const id = isRepeated ? undefined : deriveId("b", idempotencyKey, [feedback]);
      const batch = compose("feedback", isRepeated ? "" : feedback, true, id);
      if (!isRepeated || batch.threads.length > 0) await add(batch);
    },
    take({ timeout, signal, agent: name, isDoubtful = false }) {
      if (!isDoubtful) idle.touch();
      const ready = available();
      // A wait clears the status of the agent.
      if (isDoubtful) showUnlessAwaited("gone", name);
      else if (ready || timeout === 0) setAgent({ name: name || agent.name, state: "working" });
      if (ready) return Promise.resolve(ready);
      if (timeout === 0) return Promise.resolve(undefined);
      if (!isDoubtful) setAgentState("waiting", name);
      return new Promise((resolve) => {
        const finish = (batch: TakenBatch | undefined, state: LiveAgent["state"]) => {
          clearTimeout(timer);
          signal.removeEventListener("abort", onAbort);
          const index = waiters.indexOf(waiter);
          if (index >= 0) waiters.splice(index, 1);
          if (!isDoubtful) idle.touch();
          showUnlessAwaited(isDoubtful ? "gone" : state);
          resolve(batch);
        };
        const waiter: Waiter = { isDoubtful, resolve: (batch) => finish(batch, "working") };
        const onAbort = () => finish(undefined, "gone");
        const timer =
          timeout === undefined ? undefined : setTimeout(() => finish(undefined, "working"), timeout * 1_000);
        signal.addEventListener("abort", onAbort, { once: true });
        waiters.push(waiter);
      });
    },
    async recordDelivery(id) {
      if (!store.log.batches.some((sent) => sent.id === id)) return false;
      await recordDelivered(id);
      return true;
    },
    again() {
      const last = lastDelivered(store.log);
      return last && batchContent(store.log, last);
    },
    async nextRound(refresh) {
      let round = 0;
      let recorded: Promise<void> | undefined;
      const onTaken = () => {
        if (recorded) return;
        round = store.log.round + 1;
        recorded = store.write([{ op: "round", round }]);
        // The promise is awaited below, after the threads have been moved.
        recorded.catch(() => {});
      };
      if (!(await refresh(onTaken))) return store.log.round;
      onTaken();
      await recorded;
      events.send({ event: "round", round });
      options.onRound?.();
      return round;
    },
    setProgress(text, name) {
      setAgent({ name: name || agent.name, state: "working", ...(text === "" ? {} : { progress: text }) });
    },
    sawAgent(name) {
      idle.touch();
      if (agent.state === "none" || agent.state === "gone") setAgentState("working", name);
    },
    close,
    decided(decision) {
      const { event, feedback } = toFinalEvent(decision);
      return close(event, feedback, true);
    },
    async interrupt() {
      if (isClosing || store.log.owner === undefined) return;
      await store.write([{ op: "closed", reason: "interrupted" }]).catch(() => {});
    },
    settled(limit) {
      if (leased.size === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, limit);
        onSettled = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    untaken: () =>
      pendingBatches(store.log)
        .filter(({ id }) => !leased.has(id))
        .map(lease),
    touch: idle.touch,
    stop: idle.stop,
  };
}
