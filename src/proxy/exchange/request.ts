import type { Dialect, Part } from "./parts.ts";

/** A model call, independent of any vendor. An absent member means that the client did not set it. */
export interface ExchangeRequest {
  readonly model: string;
  readonly stream: boolean;
  /** The system or developer messages before the first turn. */
  readonly instructions: readonly Part[];
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly sampling: Sampling;
  readonly reasoning?: ReasoningRequest;
  readonly output?: OutputFormat;
  /** Whether the client requested usage in its stream (`include_usage` of chat-completions and completions). */
  readonly streamUsage?: boolean;
  readonly user?: string;
  /** The member `safety_identifier` of the responses dialect. If it is set, `user` has the same value. */
  readonly safetyIdentifier?: string;
  readonly cacheKey?: string;
  readonly serviceTier?: string;
  readonly verbosity?: string;
  readonly modalities?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly previousResponseId?: string;
  /** The conversation to store under the response's id, so that later calls can continue it (messages `thread`). */
  readonly thread?: ThreadRequest;
  readonly store?: boolean;
  /** Whether the response is created in the background and the client polls for it (responses). */
  readonly background?: boolean;
  /** Members of the client's request without an equivalent in this interface, by the client's dialect. */
  readonly extensions: Partial<Record<Dialect, Readonly<Record<string, unknown>>>>;
}

/**
 * A conversation that is stored so that later calls can continue it. `continues` is the id of the response that the
 * turns follow; if it is absent, the request starts a new conversation.
 */
export interface ThreadRequest {
  readonly continues?: string;
}

/** A message of a conversation. A turn of the role `system` is a later instruction. Tool results are in user turns. */
export interface Turn {
  readonly role: "user" | "assistant" | "system";
  readonly parts: readonly Part[];
  readonly name?: string;
}

export type Tool = FunctionTool | CustomTool | HostedTool;

export interface FunctionTool {
  readonly type: "function";
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments, as the client sent it. */
  readonly schema?: unknown;
  readonly strict?: boolean;
  readonly extras?: Readonly<Record<string, unknown>>;
}

/** A tool whose input is free text (`custom` in responses and chat-completions). */
export interface CustomTool {
  readonly type: "custom";
  readonly name: string;
  readonly description?: string;
  readonly format?: unknown;
}

/** A tool that the vendor defines and usually runs; `raw` is the client's declaration. */
export interface HostedTool {
  readonly type: "hosted";
  readonly tool:
    | "web-search"
    | "web-fetch"
    | "code-execution"
    | "file-search"
    | "image-generation"
    | "mcp"
    | "other";
  readonly dialect: Dialect;
  readonly raw: unknown;
}

export type ToolChoice =
  | { readonly mode: "auto" | "none" | "required" }
  | { readonly mode: "tool"; readonly name: string }
  | { readonly mode: "allowed"; readonly names: readonly string[]; readonly required: boolean };

export interface Sampling {
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly candidates?: number;
  readonly logprobs?: boolean;
  readonly topLogprobs?: number;
  readonly logitBias?: Readonly<Record<string, number>>;
}

/** How much to think: an effort, a budget, or as much as the model decides. Encoders convert between these. */
export interface ReasoningRequest {
  readonly effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
  /** Thinking tokens; -1 lets the model choose (generative-language), 0 disables thinking. */
  readonly budget?: number;
  /** Whether the model decides how much to think (messages `adaptive`). */
  readonly adaptive?: boolean;
  /** Whether to return thoughts or their summary. */
  readonly include?: boolean;
  readonly summary?: string;
  /** Whether to return encrypted reasoning (responses `include: reasoning.encrypted_content`). */
  readonly encrypted?: boolean;
}

export type OutputFormat =
  | { readonly type: "text" }
  | { readonly type: "json" }
  | {
      readonly type: "json-schema";
      readonly schema: unknown;
      readonly name?: string;
      readonly description?: string;
      readonly strict?: boolean;
    };
