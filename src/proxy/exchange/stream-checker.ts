import type { ExchangeEvent } from "./event.ts";

/** Says what is wrong with each event in turn, after the grammar of `event.ts`; undefined where nothing is. */
export interface StreamChecker {
  check(event: ExchangeEvent): string | undefined;
  /** Whether a terminal event has passed. */
  readonly ended: boolean;
}

const fittingDeltas: Readonly<Record<string, readonly string[]>> = {
  text: ["text-delta", "citation", "signature-delta"],
  refusal: ["text-delta"],
  reasoning: ["text-delta", "signature-delta"],
  "tool-call": ["arguments-delta", "signature-delta"],
};

/** A checker for one stream. It keeps the open parts' indexes and nothing of their content. */
export function createStreamChecker(): StreamChecker {
  const open = new Map<number, string>();
  const used = new Set<number>();
  let phase: "before" | "parts" | "finished" | "ended" = "before";

  const start = (index: number): string | undefined => {
    if (used.has(index)) return `index ${index} is used twice`;
    used.add(index);
    return undefined;
  };
  const within = (event: ExchangeEvent & { readonly index: number }): string | undefined => {
    const kind = open.get(event.index);
    if (kind === undefined) return `${event.type} for part ${event.index}, which is not open`;
    if (event.type === "part-end") open.delete(event.index);
    else if (fittingDeltas[kind]?.includes(event.type) !== true) return `${event.type} in a ${kind} part`;
    return undefined;
  };
  const check = (event: ExchangeEvent): string | undefined => {
    if (phase === "ended") return `${event.type} after the terminal event`;
    if (event.type === "error") {
      phase = "ended";
      return undefined;
    }
    if (event.type === "ping" || event.type === "usage") return undefined;
    if (event.type === "start") {
      if (phase !== "before") return "a second start";
      phase = "parts";
      return undefined;
    }
    if (phase === "before") return `${event.type} before start`;
    if (event.type === "end") {
      const unfinished = phase !== "finished";
      phase = "ended";
      if (open.size > 0) return "end while a part is open";
      return unfinished ? "end without finish" : undefined;
    }
    if (event.type === "finish") {
      phase = "finished";
      return undefined;
    }
    if (event.type === "part-start") {
      const wrong = start(event.index);
      open.set(event.index, event.part.type);
      return wrong;
    }
    return event.type === "part-whole" ? start(event.index) : within(event);
  };
  return {
    check,
    get ended() {
      return phase === "ended";
    },
  };
}
