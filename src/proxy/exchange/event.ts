import type { ExchangeError } from "./error.ts";
import type { Citation, Part, TokenLogprob } from "./parts.ts";
import type { Finish, Usage } from "./response.ts";

/**
 * An event of a response stream. A stream has this grammar:
 *
 *     stream := (ping | usage)* start (part | finish | ping | usage)* (end | error)
 *     part   := part-start delta* part-end | part-whole
 *
 * Events of several parts can interleave; `index` identifies a part and is never reused. A part starts empty and
 * receives its content in deltas; `part-end` can repeat the whole part with members that deltas cannot express (origin,
 * id). Each candidate has one `finish` after its parts. A stream ends with exactly one `end`, or with exactly one
 * `error`, which can come before `start`.
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

/** A part whose content arrives in deltas: `arguments-delta` for a tool call, `text-delta` for the other types. */
export type OpenPart = Extract<Part, { type: "text" | "reasoning" | "refusal" | "tool-call" }>;

/** A fragment of a part's text or of a call's arguments. */
export type Delta = Extract<ExchangeEvent, { type: "text-delta" | "arguments-delta" }>;

export type PartEvent = Exclude<
  ExchangeEvent,
  { type: "start" | "usage" | "finish" | "end" | "error" | "ping" }
>;

/** An event of a part that has started, including the event that ends it. */
export type OpenPartEvent = Exclude<PartEvent, { type: "part-start" | "part-whole" }>;
