import type { ExchangeError } from "./error.ts";
import type { Citation, Part, TokenLogprob } from "./parts.ts";
import type { Finish, Usage } from "./response.ts";

/**
 * A stream, as a grammar:
 *
 *     stream := ping* start (part | ping | usage)* (finish+ end | error)
 *     part   := part-start delta* part-end | part-whole
 *
 * Parts may interleave; `index` tells them apart and is never used twice. A part is empty at its start, and all of it
 * comes in deltas; `part-end` may carry the whole part again, with what deltas cannot say (origin, id). One `finish`
 * per candidate, then exactly one `end`; or exactly one `error`, also before `start`. Nothing follows either.
 */
export type ExchangeEvent =
  | {
      readonly type: "start";
      readonly id?: string;
      readonly model?: string;
      readonly created?: number;
      readonly usage?: Usage;
    }
  | {
      readonly type: "part-start";
      readonly index: number;
      readonly candidate?: number;
      readonly part: OpenPart;
    }
  | {
      readonly type: "text-delta";
      readonly index: number;
      readonly text: string;
      readonly logprobs?: readonly TokenLogprob[];
    }
  | { readonly type: "arguments-delta"; readonly index: number; readonly text: string }
  | { readonly type: "signature-delta"; readonly index: number; readonly signature: string }
  | { readonly type: "citation"; readonly index: number; readonly citation: Citation }
  | { readonly type: "part-end"; readonly index: number; readonly part?: Part }
  | { readonly type: "part-whole"; readonly index: number; readonly candidate?: number; readonly part: Part }
  | { readonly type: "ping" }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "finish"; readonly candidate?: number; readonly finish: Finish }
  | { readonly type: "end"; readonly usage?: Usage }
  | { readonly type: "error"; readonly error: ExchangeError };

/** A part whose content comes in deltas; text and reasoning and refusal by `text-delta`, calls by `arguments-delta`. */
export type OpenPart = Extract<Part, { type: "text" | "reasoning" | "refusal" | "tool-call" }>;

/** A piece of a part's text: words of a text, a thought or a refusal, or of a call's arguments. */
export type Delta = Extract<ExchangeEvent, { type: "text-delta" | "arguments-delta" }>;

/** An event of some part of the answer. */
export type PartEvent = Exclude<
  ExchangeEvent,
  { type: "start" | "usage" | "finish" | "end" | "error" | "ping" }
>;

/** What happens to a part that has started, up to its end. */
export type OpenPartEvent = Exclude<PartEvent, { type: "part-start" | "part-whole" }>;
