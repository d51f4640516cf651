/**
 * The canonical form of the content of a conversation, independent of any vendor. Each dialect's codec converts between
 * its wire form and this form. This file contains only types and imports nothing.
 *
 * Content is an ordered list of parts. The `origin` of a part is its wire form, so that an encoder of the same dialect
 * can restore what only that dialect can express.
 */

/**
 * The names of the dialects. Each `dialects/<name>/profile.ts` adds its own by declaration merging; the value is
 * `"upstream"` if upstreams use the dialect.
 */
// biome-ignore lint/suspicious/noEmptyInterface: declaration merging adds the members
export interface DialectNames {}

export type Dialect = keyof DialectNames;

/** The dialects that upstreams use. */
export type UpstreamDialect = {
  [Name in Dialect]: DialectNames[Name] extends "upstream" ? Name : never;
}[Dialect];

/** The wire form from which a part was decoded, and its dialect. */
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

/** How long a vendor keeps the cached prompt; the vendor's default if `ttl` is absent. */
export interface CacheHint {
  readonly ttl?: "5m" | "1h";
}

export interface TextPart extends PartBase {
  readonly type: "text";
  readonly text: string;
  readonly citations?: readonly Citation[];
  /** Log probabilities of the text's tokens, if the client requested them and the vendor returned them. */
  readonly logprobs?: readonly TokenLogprob[];
  /** Generative-language `thoughtSignature` of the text. */
  readonly signature?: string;
}

/** The log probability of a token, and of the most likely tokens at its position (`top`). */
export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  /** The token's bytes in UTF-8. They can be part of a character. */
  readonly bytes?: readonly number[];
  readonly top: readonly Omit<TokenLogprob, "top">[];
}

/**
 * The source of media: `base64` contains the bytes, `url` is the address from which a vendor fetches them, `file` is
 * the id of a file that was uploaded to a vendor.
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

/** Reasoning. `signature` is valid only at the vendor that created it, and is sent only in the dialect `vendor`. */
export interface ReasoningPart extends PartBase {
  readonly type: "reasoning";
  readonly text: string;
  readonly vendor?: Dialect;
  readonly signature?: string;
  /**
   * Whether only the vendor can read the part (messages: `redacted_thinking`; chat-completions: `reasoning.encrypted`).
   */
  readonly redacted?: boolean;
  /** Whether the part carries only the signature of the text before it (`detachTextSignatures`). */
  readonly ofText?: boolean;
  /** Whether `text` is a summary of the reasoning. */
  readonly summary?: boolean;
  readonly id?: string;
}

/** A tool call. `arguments` is JSON text, which can be invalid if the model wrote it; for a custom tool, free text. */
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
  /** The name of the tool, from the result or from its call. */
  readonly name?: string;
  readonly content: readonly Part[];
  readonly isError?: boolean;
  /** A structured result that is not a list of parts (generative-language `functionResponse.response`). */
  readonly structured?: unknown;
  readonly custom?: boolean;
}

/**
 * A call of a tool that the vendor runs, or the result of such a call. Encoders convert the tools that they support.
 */
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

/** Content that a codec does not recognize. Only its own dialect can express it; in any other dialect, it is a loss. */
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
