import type { ExchangeEvent } from "../../exchange/event.ts";
import type { ExchangeResponse, Usage } from "../../exchange/response.ts";
import { mergeUsage, sumUsages } from "../../exchange/usage.ts";

/** Merges the responses to calls for one candidate each. The usage is the sum of all calls. */
export function mergeResponses(responses: readonly ExchangeResponse[]): ExchangeResponse {
  const [first] = responses;
  if (first === undefined) return { candidates: [] };
  return {
    ...first,
    candidates: responses.flatMap(({ candidates }) => candidates.slice(0, 1)),
    usage: sumUsages(responses.map(({ usage }) => usage)),
  };
}

/**
 * Merges the streams of calls for one candidate each into one stream: the first start, one finish for each candidate
 * and one end.
 */
export class CandidateMerger {
  private hasStarted = false;
  private ended = 0;
  private readonly usages: (Usage | undefined)[];
  /** The indexes of parts of further candidates, which the calls did not request. */
  private readonly dropped = new Set<number>();

  constructor(private readonly calls: number) {
    this.usages = Array.from({ length: calls }, () => undefined);
  }

  /** Returns the events of the merged stream for one event of a call's stream. */
  push(call: number, event: ExchangeEvent): readonly ExchangeEvent[] {
    switch (event.type) {
      case "start":
        return this.start(call, event);
      case "usage":
        return this.count(call, event.usage);
      case "end": {
        const usage = this.count(call, event.usage);
        this.ended += 1;
        return this.ended < this.calls ? usage : [...usage, { type: "end" }];
      }
      case "ping":
      case "error":
        return [event];
      case "finish":
        return isFurther(event) ? [] : [{ ...event, candidate: call }];
      case "part-start":
      case "part-whole": {
        const index = this.index(call, event.index);
        if (isFurther(event)) this.dropped.add(index);
        return isFurther(event) ? [] : [{ ...event, candidate: call, index }];
      }
      default: {
        const index = this.index(call, event.index);
        return this.dropped.has(index) ? [] : [{ ...event, index }];
      }
    }
  }

  private start(call: number, event: Extract<ExchangeEvent, { type: "start" }>): readonly ExchangeEvent[] {
    const { usage, ...start } = event;
    const counted = this.count(call, usage);
    if (this.hasStarted) return counted;
    this.hasStarted = true;
    return [start, ...counted];
  }

  /** Returns a usage event with the sum of all calls so far; an empty list if `usage` is undefined. */
  private count(call: number, usage: Usage | undefined): readonly ExchangeEvent[] {
    if (usage === undefined) return [];
    this.usages[call] = mergeUsage(this.usages[call], usage);
    const sum = sumUsages(this.usages.filter((each) => each !== undefined));
    return sum === undefined ? [] : [{ type: "usage", usage: sum }];
  }

  private index(call: number, index: number): number {
    return index * this.calls + call;
  }
}

/** Returns whether an event belongs to a candidate after the first, which the call did not request. */
function isFurther({ candidate = 0 }: { readonly candidate?: number }): boolean {
  return candidate > 0;
}
