import { serializeLine } from "../../../sse/serialize.ts";
import type { PartEvent } from "../../exchange/event.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { Part } from "../../exchange/parts.ts";
import { detachCallSignatures } from "../../exchange/signature.ts";
import { encodeResponsePart } from "./encode-response-part.ts";
import { type BlockStep, createBlockSteps, createSteps, type PartSteps } from "./stream-steps.ts";

type Beginning = Extract<PartEvent, { type: "part-start" | "part-whole" }>;

/** A part that is not completely written, and its steps, which wait until the parts before it have ended. */
interface Queued {
  readonly steps: PartSteps | undefined;
  readonly waiting: BlockStep[];
  ended: boolean;
}

/**
 * Writes parts as consecutive content blocks, of which only one is open at a time. Parts can interleave, so the steps
 * of a later part wait until the parts before it have ended.
 */
export class BlockWriter {
  /** The parts in the order in which they started. The first part is being written. */
  private readonly queue = new Map<number, Queued>();
  private index = 0;
  private calls = false;
  private refused = false;
  /** The number of web searches that have been written. */
  searches = 0;

  constructor(private readonly list: LossList) {}

  /** Whether tool calls and a refusal have been written. The stop reason depends on them. */
  get seen(): { calls: boolean; refusal: boolean } {
    return { calls: this.calls, refusal: this.refused };
  }

  push(event: PartEvent): string {
    if (event.type === "part-start" || event.type === "part-whole") return this.begin(event);
    const queued = this.queue.get(event.index);
    if (queued?.steps === undefined) return "";
    if (event.type === "part-end") queued.ended = true;
    const steps = queued.steps.take(event);
    const isCurrent = this.queue.keys().next().value === event.index;
    if (!isCurrent) {
      queued.waiting.push(...steps);
      return "";
    }
    const written = this.write(steps);
    return queued.ended ? written + this.advance() : written;
  }

  /** Ends the parts that are open. */
  end(): string {
    for (const [index, queued] of this.queue) {
      if (queued.ended) continue;
      queued.ended = true;
      queued.waiting.push(...(queued.steps?.take({ type: "part-end", index }) ?? []));
    }
    return this.advance();
  }

  private begin(event: Beginning): string {
    if ((event.candidate ?? 0) > 0) {
      this.list.add("candidates", "Candidates after the first dropped: the dialect has only one.");
      return "";
    }
    const { part } = event;
    if (part.type === "tool-call") this.calls = true;
    if (part.type === "refusal") this.refused = true;
    const isWhole = event.type === "part-whole";
    const steps = isWhole ? undefined : createSteps(event.part, this.list);
    const waiting = isWhole ? this.wholeSteps(part) : [...(steps?.begin() ?? [])];
    this.queue.set(event.index, { steps, waiting, ended: isWhole });
    return this.queue.size === 1 ? this.advance() : "";
  }

  private wholeSteps(part: Part): BlockStep[] {
    const blocks = detachCallSignatures([part]).flatMap((one) => encodeResponsePart(one, this.list));
    for (const block of blocks) {
      if (block["type"] === "server_tool_use" && block["name"] === "web_search") this.searches += 1;
    }
    return blocks.flatMap(createBlockSteps);
  }

  /** Writes the waiting steps of the parts up to and including the first part that has not ended. */
  private advance(): string {
    let written = "";
    for (const [index, queued] of this.queue) {
      written += this.write(queued.waiting.splice(0));
      if (!queued.ended) break;
      this.queue.delete(index);
    }
    return written;
  }

  private write(steps: readonly BlockStep[]): string {
    let written = "";
    for (const { kind, json } of steps) {
      if (kind === "start") {
        const data = `{"type":"content_block_start","index":${this.index},"content_block":${json}}`;
        written += serializeLine(data, "content_block_start");
      } else if (kind === "delta") {
        const data = `{"type":"content_block_delta","index":${this.index},"delta":${json}}`;
        written += serializeLine(data, "content_block_delta");
      } else {
        written += serializeLine(`{"type":"content_block_stop","index":${this.index}}`, "content_block_stop");
        this.index += 1;
      }
    }
    return written;
  }
}
