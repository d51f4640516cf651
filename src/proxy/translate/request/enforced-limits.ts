import type { Capabilities } from "../../exchange/capabilities.ts";
import type { UpstreamProfile } from "../../exchange/dialect-profile.ts";
import type { ExchangeEvent } from "../../exchange/event.ts";
import type { Part } from "../../exchange/parts.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";
import type { Candidate, Finish } from "../../exchange/response.ts";
import { acceptedStopSequences } from "../../exchange/stop-sequences.ts";

/** Limits of a request that the upstream cannot enforce. The proxy enforces them by shortening the response. */
export interface EnforcedLimits {
  shorten(candidate: Candidate): Candidate;
  /** Returns a function that shortens the events of one stream. */
  createFilter(): (event: ExchangeEvent) => readonly ExchangeEvent[];
}

/**
 * Returns the limits of a request that the upstream cannot enforce: stop sequences that it does not accept or that are
 * beyond its maximum number, and a single tool call if `limitsToolCalls` is false. Returns undefined if there are no
 * such limits. The encoder reports them as losses, because the model continues beyond them.
 */
export function enforceLimits(
  request: ExchangeRequest,
  capabilities: Capabilities,
  { limitsToolCalls }: Pick<UpstreamProfile, "limitsToolCalls">,
): EnforcedLimits | undefined {
  const { sampling, parallelToolCalls } = request;
  const sent = new Set(acceptedStopSequences(sampling.stop, capabilities));
  const stops = (sampling.stop ?? []).filter((sequence) => sequence !== "" && !sent.has(sequence));
  const isSingle = parallelToolCalls === false && !limitsToolCalls && request.tools.length > 0;
  if (stops.length === 0 && !isSingle) return undefined;
  const limits: Limits = { stops, isSingle };
  return {
    shorten: (candidate) => shorten(candidate, limits),
    createFilter() {
      const filter = new EventFilter(limits);
      return (event) => filter.push(event);
    },
  };
}

interface Limits {
  readonly stops: readonly string[];
  /** Whether tool calls after the first one are dropped. */
  readonly isSingle: boolean;
}

function shorten({ parts, finish, ...rest }: Candidate, { stops, isSingle }: Limits): Candidate {
  const kept: Part[] = [];
  for (const part of parts) {
    if (isSingle && part.type === "tool-call" && kept.some(({ type }) => type === "tool-call")) continue;
    const found = part.type === "text" ? findStop(part.text, stops) : undefined;
    if (found === undefined || part.type !== "text") {
      kept.push(part);
      continue;
    }
    kept.push({ type: "text", text: part.text.slice(0, found.at) });
    return { ...rest, parts: kept, finish: stoppedBy(found.sequence) };
  }
  return { ...rest, parts: kept, finish };
}

interface Found {
  readonly at: number;
  readonly sequence: string;
}

/** Returns the stop sequence that ends first, because a vendor would stop generating there. */
function findStop(text: string, stops: readonly string[]): Found | undefined {
  const found = stops.flatMap((sequence) => {
    const at = text.indexOf(sequence);
    return at < 0 ? [] : [{ at, sequence }];
  });
  const endOf = ({ at, sequence }: Found) => at + sequence.length;
  return found.toSorted((one, other) => endOf(one) - endOf(other) || one.at - other.at)[0];
}

function stoppedBy(stopSequence: string): Finish {
  return { unified: "stop-sequence", stopSequence };
}

/** The state of one candidate of a stream. */
interface Progress {
  hasCall: boolean;
  stoppedBy: string | undefined;
}

/**
 * Shortens a stream: delays text that may begin a stop sequence, and drops the content of a candidate from a stop
 * sequence on. Drops tool calls after the first one if only one is allowed.
 */
class EventFilter {
  private readonly candidates = new Map<number, Progress>();
  /** The state of each open part's candidate, by part. */
  private readonly open = new Map<number, Progress>();
  /** Delayed texts that may be the beginning of a stop sequence, by part. */
  private readonly pending = new Map<number, string>();
  private readonly dropped = new Set<number>();

  constructor(private readonly limits: Limits) {}

  push(event: ExchangeEvent): readonly ExchangeEvent[] {
    switch (event.type) {
      case "part-start":
        return this.start(event);
      case "part-whole":
        return this.whole(event);
      case "text-delta":
        return this.text(event);
      case "part-end":
        return this.end(event);
      case "arguments-delta":
      case "signature-delta":
      case "citation":
        return this.isOver(event.index) ? [] : [event];
      case "finish": {
        const { stoppedBy: sequence } = this.progress(event.candidate);
        return [sequence === undefined ? event : { ...event, finish: stoppedBy(sequence) }];
      }
      default:
        return [event];
    }
  }

  private start(event: Extract<ExchangeEvent, { type: "part-start" }>): readonly ExchangeEvent[] {
    const progress = this.progress(event.candidate);
    if (!this.takes(progress, event.part)) {
      this.dropped.add(event.index);
      return [];
    }
    this.open.set(event.index, progress);
    if (event.part.type === "text" && this.limits.stops.length > 0) this.pending.set(event.index, "");
    return [event];
  }

  private whole(event: Extract<ExchangeEvent, { type: "part-whole" }>): readonly ExchangeEvent[] {
    const progress = this.progress(event.candidate);
    if (!this.takes(progress, event.part)) return [];
    const { part } = event;
    const found = part.type === "text" ? findStop(part.text, this.limits.stops) : undefined;
    if (found === undefined || part.type !== "text") return [event];
    progress.stoppedBy = found.sequence;
    return [{ ...event, part: { type: "text", text: part.text.slice(0, found.at) } }];
  }

  private text(event: Extract<ExchangeEvent, { type: "text-delta" }>): readonly ExchangeEvent[] {
    if (this.isOver(event.index)) return [];
    const waiting = this.pending.get(event.index);
    if (waiting === undefined) return [event];
    const text = waiting + event.text;
    const found = findStop(text, this.limits.stops);
    const progress = this.open.get(event.index);
    if (found !== undefined && progress !== undefined) progress.stoppedBy = found.sequence;
    const length = found === undefined ? text.length - beginningAtEnd(text, this.limits.stops) : found.at;
    this.pending.set(event.index, found === undefined ? text.slice(length) : "");
    return length === 0 ? [] : [{ ...event, text: text.slice(0, length) }];
  }

  private end(event: Extract<ExchangeEvent, { type: "part-end" }>): readonly ExchangeEvent[] {
    const { index } = event;
    if (this.dropped.has(index)) return [];
    const isOver = this.isOver(index);
    const text = this.pending.get(index) ?? "";
    this.pending.delete(index);
    this.open.delete(index);
    if (isOver) return [{ type: "part-end", index }];
    return text === "" ? [event] : [{ type: "text-delta", index, text }, event];
  }

  /** Returns whether the rest of a part is dropped. */
  private isOver(index: number): boolean {
    return this.dropped.has(index) || this.open.get(index)?.stoppedBy !== undefined;
  }

  private takes(progress: Progress, { type }: Part): boolean {
    if (progress.stoppedBy !== undefined) return false;
    if (type !== "tool-call") return true;
    if (this.limits.isSingle && progress.hasCall) return false;
    progress.hasCall = true;
    return true;
  }

  private progress(candidate = 0): Progress {
    const known = this.candidates.get(candidate);
    if (known !== undefined) return known;
    const fresh: Progress = { hasCall: false, stoppedBy: undefined };
    this.candidates.set(candidate, fresh);
    return fresh;
  }
}

/** Returns the length of the longest suffix of a text with which a stop sequence begins. */
function beginningAtEnd(text: string, stops: readonly string[]): number {
  const longest = Math.max(...stops.map((sequence) => sequence.length));
  for (let length = Math.min(longest - 1, text.length); length > 0; length -= 1) {
    const end = text.slice(-length);
    if (stops.some((sequence) => sequence.startsWith(end))) return length;
  }
  return 0;
}
