/** What an upstream's model accepts; defaults by model family, overridable in the configuration. */
export interface Capabilities {
  readonly maxTokensName: "max_tokens" | "max_completion_tokens";
  /** Sent where a dialect demands a limit and the client named none. */
  readonly defaultMaxTokens: number;
  readonly maxOutputTokens?: number;
  /** The smallest limit that is not refused. */
  readonly minOutputTokens?: number;
  readonly contextWindow?: number;
  /** Whether temperature, top_p and penalties may be set at all. */
  readonly acceptsSampling: boolean;
  /** Whether temperature and top_p may be set together. */
  readonly acceptsTopPWithTemperature: boolean;
  readonly acceptsTopK: boolean;
  /** Whether instructions are said as `developer`; elsewhere they are `system`. */
  readonly acceptsDeveloperRole: boolean;
  readonly acceptsStop: boolean;
  readonly maxStopSequences: number;
  readonly maxTemperature: number;
  /** Names of the efforts the model knows, lowest first; empty where it does not reason. */
  readonly efforts: readonly string[];
  readonly reasoning: "none" | "effort" | "budget" | "adaptive" | "level";
  /** What the model takes as a thinking budget beside 0, in tokens. */
  readonly minThinkingTokens?: number;
  readonly maxThinkingTokens?: number;
  /** Whether thinking cannot be switched off. */
  readonly alwaysThinks: boolean;
  /** Whether thinking must be sent back as `reasoning_content` (DeepSeek, Kimi, GLM). */
  readonly echoesReasoning: boolean;
  /** The member of a message that thinking is sent back in. */
  readonly reasoningMember: "reasoning_content" | "reasoning";
  /** Whether a message with calls is refused that has no thinking, so that an empty one stands in (DeepSeek, Kimi). */
  readonly needsReasoning: boolean;
  /** Whether the model thinks unless it is told not to, so that "do not think" is lost where it cannot be said. */
  readonly thinksByDefault: boolean;
  /** How a chat-completions vendor is told how much to think, and that none is wanted. */
  readonly thinkingMember: "reasoning_effort" | "reasoning" | "thinking";
  /** Whether calls must have ids of nine letters and digits (Mistral). */
  readonly shortCallIds: boolean;
  /** Whether streams may be asked for usage; those that refuse it tell usage unasked (Mistral). */
  readonly acceptsStreamOptions: boolean;
  readonly structuredOutput: "json-schema" | "json" | "none";
  /** Whether function tools take JSON Schema as it is (generative-language `parametersJsonSchema`). */
  readonly jsonSchemaTools: boolean;
  /** Whether tools that take free text are known as such; elsewhere they become functions of one string. */
  readonly customTools: boolean;
  /** Whether a message's text may be a list of parts (chat-completions; DeepSeek takes a string alone). */
  readonly acceptsContentParts: boolean;
  /** Whether the conversation may end with words of the assistant that the model continues. */
  readonly acceptsPrefill: boolean;
  /** Top-level members the upstream takes beyond what all of its dialect do (`prompt_cache_key`, `verbosity` …). */
  readonly optionalMembers: readonly string[];
  readonly images: "any" | "base64" | "none";
  readonly documents: "any" | "base64" | "none";
  readonly audio: boolean;
  readonly toolNamePattern: RegExp;
  readonly maxToolNameLength: number;
}

/** What a model accepts unless its dialect, its family or the configuration says otherwise. */
export const defaultCapabilities: Capabilities = {
  maxTokensName: "max_tokens",
  defaultMaxTokens: 8_192,
  acceptsSampling: true,
  acceptsTopPWithTemperature: true,
  acceptsTopK: true,
  acceptsDeveloperRole: false,
  acceptsStop: true,
  maxStopSequences: 4,
  maxTemperature: 2,
  efforts: [],
  reasoning: "none",
  alwaysThinks: false,
  echoesReasoning: false,
  reasoningMember: "reasoning_content",
  needsReasoning: false,
  thinksByDefault: false,
  thinkingMember: "reasoning_effort",
  shortCallIds: false,
  acceptsStreamOptions: true,
  structuredOutput: "json-schema",
  jsonSchemaTools: true,
  customTools: false,
  acceptsContentParts: true,
  acceptsPrefill: false,
  optionalMembers: [],
  images: "any",
  documents: "any",
  audio: true,
  toolNamePattern: /^[a-zA-Z0-9_-]+$/,
  maxToolNameLength: 64,
};
