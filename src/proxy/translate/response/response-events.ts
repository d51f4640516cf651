import type { Codec } from "../../exchange/codec.ts";
import type { ExchangeError } from "../../exchange/error.ts";
import type { ExchangeEvent } from "../../exchange/event.ts";
import { stringifyJson } from "../../exchange/json.ts";
import type { Part } from "../../exchange/parts.ts";
import type { Candidate, ExchangeResponse, Finish, Usage } from "../../exchange/response.ts";
import { mergeUsage } from "../../exchange/usage.ts";

/** Converts a complete response to events, for upstreams that do not stream although a stream was requested. */
export function responseToEvents(response: ExchangeResponse): readonly ExchangeEvent[] {
  const { id, model, created, candidates, usage } = response;
  const events: ExchangeEvent[] = [
    {
      type: "start",
      id,
      model,
      created,
    },
  ];
  let index = 0;
  for (const [position, { parts, finish }] of candidates.entries()) {
    const which = position > 0 ? { candidate: position } : {};
    for (const part of parts) events.push({ type: "part-whole", index: index++, ...which, part });
    events.push({ type: "finish", ...which, finish });
  }
  if (usage !== undefined) events.push({ type: "usage", usage });
  events.push({ type: "end" });
  return events;
}

/** Converts a JSON array of stream events to events. Some gateways return such an array instead of a stream. */
export function decodeEventList(list: readonly unknown[], upstream: Codec): readonly ExchangeEvent[] {
  const decoder = upstream.createStreamDecoder();
  const events = list.flatMap((each) => decoder.push({ event: "message", data: stringifyJson(each) }));
  return [...events, ...decoder.end()];
}

interface GrowingPart {
  readonly candidate: number;
  readonly position: number;
  part: Part;
}

/** Collects the events of a stream into a complete response. */
export class ResponseCollector {
  private head: { id?: string; model?: string; created?: number } = {};
  private usage: Usage | undefined;
  private readonly parts = new Map<number, GrowingPart>();
  private readonly finishes = new Map<number, Finish>();
  /** The error that ended the stream, if any. */
  error: ExchangeError | undefined;

  push(event: ExchangeEvent): void {
    switch (event.type) {
      case "start": {
        const { type: _, usage, ...head } = event;
        this.head = head;
        this.usage = mergeUsage(this.usage, usage);
        break;
      }
      case "part-start":
      case "part-whole": {
        const { index, candidate = 0, part } = event;
        this.parts.set(index, { candidate, position: this.parts.size, part });
        break;
      }
      case "usage":
      case "end":
        this.usage = mergeUsage(this.usage, event.usage);
        break;
      case "finish":
        this.finishes.set(event.candidate ?? 0, event.finish);
        break;
      case "error":
        this.error = event.error;
        break;
      case "ping":
        break;
      default: {
        const open = this.parts.get(event.index);
        if (open !== undefined) open.part = grow(open.part, event);
      }
    }
  }

  /** Returns the response with the candidates that have finished, in order and without empty parts. */
  response(): ExchangeResponse {
    const candidates = [...this.finishes.keys()]
      .sort((a, b) => a - b)
      .map((which): Candidate => {
        return { parts: this.getParts(which), finish: this.finishes.get(which) ?? { unified: "other" } };
      });
    return { ...this.head, candidates, usage: this.usage };
  }

  private getParts(candidate: number): Part[] {
    return [...this.parts.values()]
      .filter((open) => open.candidate === candidate)
      .sort((a, b) => a.position - b.position)
      .map((open) => open.part)
      .filter((part) => !((part.type === "text" || part.type === "refusal") && part.text === ""))
      .filter((part) => !(part.type === "reasoning" && part.text === "" && part.signature === undefined));
  }
}

type Growth = Extract<
  ExchangeEvent,
  { type: "text-delta" | "arguments-delta" | "signature-delta" | "citation" | "part-end" }
>;

function grow(part: Part, event: Growth): Part {
  switch (event.type) {
    case "text-delta": {
      if (!("text" in part)) return part;
      const grown = { ...part, text: part.text + event.text };
      return grown.type === "text" && event.logprobs !== undefined
        ? { ...grown, logprobs: [...(grown.logprobs ?? []), ...event.logprobs] }
        : grown;
    }
    case "arguments-delta":
      return part.type === "tool-call" ? { ...part, arguments: part.arguments + event.text } : part;
    case "signature-delta":
      return part.type === "reasoning" || part.type === "tool-call" || part.type === "text"
        ? { ...part, signature: (part.signature ?? "") + event.signature }
        : part;
    case "citation":
      return part.type === "text"
        ? { ...part, citations: [...(part.citations ?? []), event.citation] }
        : part;
    case "part-end":
      return event.part ?? part;
  }
}
