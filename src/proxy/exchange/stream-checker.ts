import type { ExchangeEvent, OpenPartEvent, PartEvent } from "./event.ts";

/** Checks the order of a stream's events, which `event.ts` defines. */
export interface StreamChecker {
  /** Returns undefined if the event is allowed at this point of the stream, else a description of the error. */
  check(event: ExchangeEvent): string | undefined;
  /** Whether the stream has had a terminal event. */
  readonly ended: boolean;
}

const fittingDeltas: Readonly<Record<string, readonly string[]>> = {
  text: ["text-delta", "citation", "signature-delta"],
  refusal: ["text-delta"],
  reasoning: ["text-delta", "signature-delta"],
  "tool-call": ["arguments-delta", "signature-delta"],
};

/** Creates a checker for one stream. It keeps the indexes of parts, but none of their content. */
export function createStreamChecker(): StreamChecker {
  return new Checker();
}

class Checker implements StreamChecker {
  private readonly open = new Map<number, string>();
  private readonly used = new Set<number>();
  private phase: "before" | "parts" | "finished" | "ended" = "before";

  get ended(): boolean {
    return this.phase === "ended";
  }

  check(event: ExchangeEvent): string | undefined {
    if (this.phase === "ended") return `${event.type} after the terminal event`;
    switch (event.type) {
      case "error":
        this.phase = "ended";
        return undefined;
      case "ping":
      case "usage":
        return undefined;
      case "start":
        return this.start();
      default:
        return this.phase === "before" ? `${event.type} before start` : this.checkStarted(event);
    }
  }

  private start(): string | undefined {
    if (this.phase !== "before") return "a second start";
    this.phase = "parts";
    return undefined;
  }

  private checkStarted(
    event: PartEvent | Extract<ExchangeEvent, { type: "finish" | "end" }>,
  ): string | undefined {
    switch (event.type) {
      case "finish":
        this.phase = "finished";
        return undefined;
      case "end":
        return this.end();
      case "part-start": {
        const wrong = this.use(event.index);
        this.open.set(event.index, event.part.type);
        return wrong;
      }
      case "part-whole":
        return this.use(event.index);
      default:
        return this.within(event);
    }
  }

  private end(): string | undefined {
    const isFinished = this.phase === "finished";
    this.phase = "ended";
    if (this.open.size > 0) return "end while a part is open";
    return isFinished ? undefined : "end without finish";
  }

  private use(index: number): string | undefined {
    if (this.used.has(index)) return `index ${index} is used twice`;
    this.used.add(index);
    return undefined;
  }

  private within(event: OpenPartEvent): string | undefined {
    const kind = this.open.get(event.index);
    if (kind === undefined) return `${event.type} for part ${event.index}, which is not open`;
    if (event.type === "part-end") this.open.delete(event.index);
    else if (fittingDeltas[kind]?.includes(event.type) !== true) return `${event.type} in a ${kind} part`;
    return undefined;
  }
}
