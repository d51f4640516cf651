/** A call without a result so far. */
interface WaitingCall {
  readonly id: string;
  readonly name: string;
  /** Whether the vendor assigned its ID. */
  readonly isNamed: boolean;
  /** Whether a result in the conversation has its ID, so that it cannot belong to a result without an ID. */
  readonly hasResultById: boolean;
}

/** The calls of a conversation whose results follow. */
export interface WaitingCalls {
  add(call: WaitingCall): void;
  /**
   * Removes and returns the call of a result: the oldest with its ID, else the oldest with its name. A result with an
   * unknown ID belongs only to a call whose ID the vendor did not assign; Gemini CLI assigns IDs to such results.
   */
  take(id: string | undefined, name: string | undefined): WaitingCall | undefined;
}

/** Creates an empty list of calls, whose lookups take constant time. */
export function createWaitingCalls(): WaitingCalls {
  const taken = new Set<WaitingCall>();
  const byId = createQueues(taken);
  const byName = createQueues(taken);
  const unnamedByName = createQueues(taken);
  return {
    add(call) {
      byId.add(call.id, call);
      if (call.hasResultById) return;
      byName.add(call.name, call);
      if (!call.isNamed) unnamedByName.add(call.name, call);
    },
    take(id, name) {
      const call = id === undefined ? byName.take(name) : (byId.take(id) ?? unnamedByName.take(name));
      if (call !== undefined) taken.add(call);
      return call;
    },
  };
}

/** Queues by key, whose elements may be taken from another queue as well. */
function createQueues(taken: ReadonlySet<WaitingCall>) {
  const queues = new Map<string | undefined, { readonly calls: WaitingCall[]; next: number }>();
  return {
    add(key: string, call: WaitingCall) {
      const queue = queues.get(key);
      if (queue === undefined) queues.set(key, { calls: [call], next: 0 });
      else queue.calls.push(call);
    },
    take(key: string | undefined): WaitingCall | undefined {
      const queue = queues.get(key);
      if (queue === undefined) return undefined;
      for (;;) {
        const call = queue.calls[queue.next];
        if (call === undefined) return undefined;
        queue.next += 1;
        if (!taken.has(call)) return call;
      }
    },
  };
}
