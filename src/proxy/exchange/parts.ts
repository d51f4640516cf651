/**
 * The canonical form of a conversation between a client and a model, independent of any vendor. The codec of each
 * dialect decodes and encodes it. This file contains only types and imports nothing.
 *
 * Content is an ordered list of parts, never a string with separate fields. `origin` keeps the wire form of a part,
 * so that encoding it for the same dialect restores what only that dialect can express.
 */

/**
 * Dialect names. Each `dialects/<name>/profile.ts` adds its own by declaration merging, with the side that speaks it.
 */
// biome-ignore lint/suspicious/noEmptyInterface: declaration merging adds the members
export interface DialectNames {}

export type Dialect = keyof DialectNames;

/** Dialects that upstreams speak. */
export type UpstreamDialect = {
  [Name in Dialect]: DialectNames[Name] extends "upstream" ? Name : never;
}[Dialect];

/** The wire form from which a part was decoded; an encoder of the same dialect prefers it. */
export interface Origin {
  readonly dialect: Dialect;
  readonly raw: unknown;
}

export type Part =
  | TextPart
  | ImagePart
  | DocumentPart
  | AudioPart
  | VideoPart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | ServerToolPart
  | RefusalPart
  | UnknownPart;

interface PartBase {
  readonly origin?: Origin;
  /** A cache breakpoint after this part (messages: `cache_control`). */
  readonly cache?: CacheHint;
}

export interface CacheHint {
  readonly ttl?: "5m" | "1h";
}

export interface TextPart extends PartBase {
  readonly type: "text";
  readonly text: string;
  readonly citations?: readonly Citation[];
  /** Set if the client requested them and the vendor returned them. */
  readonly logprobs?: readonly TokenLogprob[];
  /** Generative-language `thoughtSignature` of the text. */
  readonly signature?: string;
}

/** Log probability of a token and of the alternatives at its position. */
export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  /** UTF-8; a character may span several tokens. */
  readonly bytes?: readonly number[];
  readonly top: readonly Omit<TokenLogprob, "top">[];
}

/**
 * The source of media: `base64` contains the bytes, `url` is any URL that a vendor accepts, `file` is a vendor's id.
 */
export type MediaSource =
  | { readonly kind: "base64"; readonly mediaType: string; readonly data: string }
  | { readonly kind: "url"; readonly url: string; readonly mediaType?: string }
  | { readonly kind: "file"; readonly id: string; readonly mediaType?: string };

export interface ImagePart extends PartBase {
  readonly type: "image";
  readonly source: MediaSource;
  readonly detail?: string;
  /** Generative-language `thoughtSignature` of the image. */
  readonly signature?: string;
}

export interface DocumentPart extends PartBase {
  readonly type: "document";
  readonly source: MediaSource | { readonly kind: "text"; readonly text: string };
  readonly name?: string;
  readonly context?: string;
  readonly citations?: boolean;
}

export interface AudioPart extends PartBase {
  readonly type: "audio";
  readonly source: MediaSource;
}

export interface VideoPart extends PartBase {
  readonly type: "video";
  readonly source: MediaSource;
}

/** Hidden reasoning. `signature` is valid only at `vendor` and is never shown or sent to another vendor. */
export interface ReasoningPart extends PartBase {
  readonly type: "reasoning";
  readonly text: string;
  readonly vendor?: Dialect;
  readonly signature?: string;
  /** Whether only the vendor can read it (messages: `redacted_thinking`; responses: `encrypted_content`). */
  readonly redacted?: boolean;
  /** Whether the part carries only the signature of the text before it (`detachTextSignatures`). */
  readonly ofText?: boolean;
  /** Whether `text` is a summary of the reasoning. */
  readonly summary?: boolean;
  readonly id?: string;
}

/** A tool call. `arguments` is the raw JSON text that the model wrote; free text for a custom tool. */
export interface ToolCallPart extends PartBase {
  readonly type: "tool-call";
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly custom?: boolean;
  /** Generative-language `thoughtSignature` of the call. */
  readonly signature?: string;
}

export interface ToolResultPart extends PartBase {
  readonly type: "tool-result";
  readonly callId: string;
  /** Name of the tool, from the result or from an earlier call. */
  readonly name?: string;
  readonly content: readonly Part[];
  readonly isError?: boolean;
  /** A structured result that is not a list of parts (generative-language `functionResponse.response`). */
  readonly structured?: unknown;
  readonly custom?: boolean;
}

/** A call of a tool that the vendor runs, or its result. Kept whole; encoders convert the tools that they support. */
export interface ServerToolPart extends PartBase {
  readonly type: "server-tool";
  readonly tool:
    | "web-search"
    | "web-fetch"
    | "code-execution"
    | "file-search"
    | "image-generation"
    | "mcp"
    | "other";
  readonly phase: "call" | "result";
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly output?: unknown;
}

export interface RefusalPart extends PartBase {
  readonly type: "refusal";
  readonly text: string;
}

/** Content that a codec does not recognize: encoded unchanged for its own dialect, a loss for any other. */
export interface UnknownPart extends PartBase {
  readonly type: "unknown";
  readonly origin: Origin;
}

/** A citation. Offsets count UTF-16 code units within the text part; `end` is exclusive. */
export interface Citation {
  readonly url?: string;
  readonly title?: string;
  readonly quote?: string;
  readonly start?: number;
  readonly end?: number;
  readonly origin?: Origin;
}
