/** A tool call whose result has not been found yet. */
interface WaitingCall {
  readonly id: string;
  readonly name: string;
  /** Whether the request contains the call's id; otherwise the decoder created the id. */
  readonly isNamed: boolean;
  /** Whether a result in the conversation has the call's id. If so, the call is matched by its id only. */
  readonly hasResultById: boolean;
}

/** The tool calls of a conversation whose results have not been found yet. */
export interface WaitingCalls {
  add(call: WaitingCall): void;
  /**
   * Removes and returns the oldest call with the id of a result or, for a result without an id, the oldest call with
   * its name. If no call has the result's id, takes the oldest call with its name that came without an id, because
   * Gemini CLI creates ids for the results of such calls. Returns undefined if there is no such call.
   */
  take(id: string | undefined, name: string | undefined): WaitingCall | undefined;
}

/** Creates an empty collection of calls. A lookup takes constant time on average. */
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

/** Creates queues by key. `take` skips the calls in `taken`, which were removed through another queue. */
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
