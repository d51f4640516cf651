import type { Dialect, Part } from "./parts.ts";

/** One call to a model, in no vendor's shape. Absent members mean that the client did not say. */
export interface ExchangeRequest {
  readonly model: string;
  readonly stream: boolean;
  /** System or developer text before the first turn. */
  readonly instructions: readonly Part[];
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly sampling: Sampling;
  readonly reasoning?: ReasoningRequest;
  readonly output?: OutputFormat;
  /** Whether the client asked for usage in its stream (chat-completions `include_usage`); others always get it. */
  readonly streamUsage?: boolean;
  readonly user?: string;
  readonly cacheKey?: string;
  readonly serviceTier?: string;
  readonly verbosity?: string;
  readonly modalities?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly previousResponseId?: string;
  /** A conversation that the client wants kept under the answer's id and continued from there (messages `thread`). */
  readonly thread?: ThreadRequest;
  readonly store?: boolean;
  /** Top-level members without a twin elsewhere, by the dialect they were said in. */
  readonly extensions: Partial<Record<Dialect, Readonly<Record<string, unknown>>>>;
}

/** Without `continues` a conversation begins; it is the id of the answer that the turns follow. */
export interface ThreadRequest {
  readonly continues?: string;
}

/** `system` is an instruction in the middle of the conversation. Tool results stand in user turns. */
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
  /** JSON Schema of the arguments, as the client wrote it. */
  readonly schema?: unknown;
  readonly strict?: boolean;
  readonly extras?: Readonly<Record<string, unknown>>;
}

/** A tool that takes free text (responses `custom`). */
export interface CustomTool {
  readonly type: "custom";
  readonly name: string;
  readonly description?: string;
  readonly format?: unknown;
}

/** A tool the vendor runs itself; `raw` is the client's own declaration. */
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

/** How much to think, in whichever of the three currencies the client used; encoders convert. */
export interface ReasoningRequest {
  readonly effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
  /** Thinking tokens; -1 lets the model choose (generative-language), 0 switches off. */
  readonly budget?: number;
  /** The model decides how much (messages `adaptive`). */
  readonly adaptive?: boolean;
  /** Whether thoughts or their summary are to be shown. */
  readonly include?: boolean;
  readonly summary?: string;
  /** Whether sealed reasoning is to come back (responses `include: reasoning.encrypted_content`). */
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
