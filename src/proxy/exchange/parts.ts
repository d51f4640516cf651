/**
 * The canonical form of what is said between a client and a model, in no vendor's shape. A codec per dialect
 * reads and writes it; types only, importing nothing.
 *
 * Content is an ordered list of parts, never a string with fields beside it. A part keeps where it came from
 * (`origin`), so that going back to the same dialect restores what only that dialect can say.
 */

/** Dialect names. Every `dialects/<name>/profile.ts` adds its own name by declaration merging, with who speaks it. */
// biome-ignore lint/suspicious/noEmptyInterface: declaration merging adds the members
export interface DialectNames {}

export type Dialect = keyof DialectNames;

/** Dialects that upstreams speak. */
export type UpstreamDialect = {
  [Name in Dialect]: DialectNames[Name] extends "upstream" ? Name : never;
}[Dialect];

/** The wire form a part was read from; an encoder of the same dialect prefers it. */
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
  /** A cache breakpoint behind this part (messages: `cache_control`). */
  readonly cache?: CacheHint;
}

export interface CacheHint {
  readonly ttl?: "5m" | "1h";
}

export interface TextPart extends PartBase {
  readonly type: "text";
  readonly text: string;
  readonly citations?: readonly Citation[];
  /** Where they were asked for, and the vendor told them. */
  readonly logprobs?: readonly TokenLogprob[];
  /** Generative-language `thoughtSignature` that sits on the text. */
  readonly signature?: string;
}

/** How likely the model took a token to be, and which others it weighed in its place. */
export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  /** UTF-8; a character may be spread over several tokens. */
  readonly bytes?: readonly number[];
  readonly top: readonly Omit<TokenLogprob, "top">[];
}

/** `url` may be anything a vendor accepts; `base64` carries its bytes; `file` is an id at the vendor. */
export type MediaSource =
  | { readonly kind: "base64"; readonly mediaType: string; readonly data: string }
  | { readonly kind: "url"; readonly url: string; readonly mediaType?: string }
  | { readonly kind: "file"; readonly id: string; readonly mediaType?: string };

export interface ImagePart extends PartBase {
  readonly type: "image";
  readonly source: MediaSource;
  readonly detail?: string;
  /** Generative-language `thoughtSignature` that sits on the picture. */
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

/** Hidden thinking. `signature` means something to `vendor` alone and is never shown or sent to another. */
export interface ReasoningPart extends PartBase {
  readonly type: "reasoning";
  readonly text: string;
  readonly vendor?: Dialect;
  readonly signature?: string;
  /** Opaque to everybody but the vendor (messages: `redacted_thinking`; responses: `encrypted_content`). */
  readonly redacted?: boolean;
  /** Whether there is nothing but the signature of the text before it (`detachTextSignatures`). */
  readonly ofText?: boolean;
  /** Whether `text` is a summary rather than the thinking itself. */
  readonly summary?: boolean;
  readonly id?: string;
}

/** `arguments` is the raw JSON text as the model wrote it; a custom tool's is free text. */
export interface ToolCallPart extends PartBase {
  readonly type: "tool-call";
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly custom?: boolean;
  /** Generative-language `thoughtSignature` that sits on the call. */
  readonly signature?: string;
}

export interface ToolResultPart extends PartBase {
  readonly type: "tool-result";
  readonly callId: string;
  /** Name of the tool, where the dialect says it or an earlier call does. */
  readonly name?: string;
  readonly content: readonly Part[];
  readonly isError?: boolean;
  /** A structured result that is no list of parts (generative-language `functionResponse.response`). */
  readonly structured?: unknown;
  readonly custom?: boolean;
}

/** A tool the vendor runs itself, or what it gave: kept whole, mapped by encoders that know it. */
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

/** Anything a codec does not know. It reaches its own dialect again untouched, and is a loss to any other. */
export interface UnknownPart extends PartBase {
  readonly type: "unknown";
  readonly origin: Origin;
}

/** Offsets count UTF-16 units within the text part, end exclusive. */
export interface Citation {
  readonly url?: string;
  readonly title?: string;
  readonly quote?: string;
  readonly start?: number;
  readonly end?: number;
  readonly origin?: Origin;
}
