/** Describes what an upstream accepts in a call to one model. `capabilitiesFor` determines the values. */
export interface Capabilities {
  readonly maxTokensName: "max_tokens" | "max_completion_tokens";
  /**
   * The output limit in tokens, not including a thinking budget, that is sent if the dialect requires a limit and the
   * client set none.
   */
  readonly defaultMaxTokens: number;
  readonly maxOutputTokens?: number;
  /** The smallest output limit that the vendor accepts, in tokens. */
  readonly minOutputTokens?: number;
  readonly contextWindow?: number;
  /** Whether temperature, `top_p` and penalties can be set. */
  readonly acceptsSampling: boolean;
  /** Whether temperature and `top_p` can be set together. */
  readonly acceptsTopPWithTemperature: boolean;
  readonly acceptsTopK: boolean;
  /** Whether instructions are sent with the role `developer` instead of `system`. */
  readonly acceptsDeveloperRole: boolean;
  readonly acceptsStop: boolean;
  readonly maxStopSequences: number;
  /** Whether a stop sequence can consist of whitespace. */
  readonly acceptsBlankStop: boolean;
  readonly maxTemperature: number;
  /** Reasoning efforts that the model supports, lowest first; empty if it supports none. */
  readonly efforts: readonly string[];
  readonly reasoning: "none" | "effort" | "budget" | "adaptive" | "level";
  /** Smallest thinking budget other than 0, in tokens. */
  readonly minThinkingTokens?: number;
  readonly maxThinkingTokens?: number;
  /** Whether thinking cannot be switched off. */
  readonly alwaysThinks: boolean;
  /** Whether the model omits the text of its thinking unless the request asks for it (messages). */
  readonly hidesThinking: boolean;
  /**
   * Whether the upstream rejects thinking from an earlier turn if anything before it has changed, unless the request
   * has `thinking.block_binding` (messages).
   */
  readonly bindsThinking: boolean;
  /** Whether the upstream requires the thinking of earlier messages (for example DeepSeek, Kimi and GLM). */
  readonly echoesReasoning: boolean;
  /** The member of a message that carries earlier thinking. */
  readonly reasoningMember: "reasoning_content" | "reasoning";
  /**
   * Whether each message with tool calls must contain thinking (DeepSeek, Kimi). The proxy adds empty thinking to a
   * message that has none.
   */
  readonly needsReasoning: boolean;
  /**
   * Whether the model thinks if the request does not disable it. A request to disable thinking is a loss if the
   * upstream has no such option.
   */
  readonly thinksByDefault: boolean;
  /** Whether the model can reason in a request with functions (chat-completions). */
  readonly reasonsWithTools: boolean;
  /**
   * Whether calls with tools from clients of other dialects use the responses API of the same base URL
   * (chat-completions).
   */
  readonly toolsNeedResponses: boolean;
  /**
   * Whether a request can combine functions with hosted tools, and tools with a response format (generative-language).
   */
  readonly combinesTools: boolean;
  /** The chat-completions member that sets or disables thinking. */
  readonly thinkingMember: "reasoning_effort" | "reasoning" | "thinking";
  /** Whether tool call ids must be nine letters and digits (Mistral). */
  readonly shortCallIds: boolean;
  /** Whether the upstream accepts `stream_options`; Mistral rejects it, and reports usage without it. */
  readonly acceptsStreamOptions: boolean;
  /** With `only-json-schema`, JSON without a schema is requested with a schema that allows any object (LM Studio). */
  readonly structuredOutput: "json-schema" | "only-json-schema" | "json" | "none";
  /** Members that the upstream rejects: top-level members, and `messages.name`. */
  readonly rejectedMembers: readonly string[];
  /** Members that the upstream expects under another name (Mistral: `seed` as `random_seed`). */
  readonly memberNames: Readonly<Record<string, string>>;
  /** The forms of `tool_choice` that the upstream accepts; `tool` is the choice of one function by its name. */
  readonly toolChoices: readonly ("auto" | "none" | "required" | "tool")[];
  /**
   * Whether function tools and response formats accept unmodified JSON Schema (generative-language
   * `parametersJsonSchema` and `responseJsonSchema`).
   */
  readonly jsonSchemaTools: boolean;
  /** Whether the model supports free-text tools. If not, such a tool becomes a function with one string argument. */
  readonly customTools: boolean;
  /** Whether system messages can follow other messages (chat-completions). */
  readonly acceptsSystemTurns: boolean;
  /** Whether a user message can directly follow tool results (chat-completions; Mistral's models reject it). */
  readonly acceptsUserAfterTools: boolean;
  /** Whether a message's text can be a list of parts (chat-completions; DeepSeek accepts only a string). */
  readonly acceptsContentParts: boolean;
  /** Whether the conversation can end with an assistant message that the model continues. */
  readonly acceptsPrefill: boolean;
  /**
   * Members that this upstream accepts and other upstreams of the dialect may reject: top-level members, and
   * `reasoning_details` and `extra_content` of messages and tool calls.
   */
  readonly optionalMembers: readonly string[];
  /**
   * Where the upstream accepts `cache_control`: with `texts`, in texts; with `all`, also in tools and the request.
   * Upstreams of messages always accept it in parts and tools.
   */
  readonly cacheControl: "none" | "texts" | "all";
  readonly images: "any" | "base64" | "none";
  readonly documents: "any" | "base64" | "none";
  readonly audio: boolean;
  readonly toolNamePattern: RegExp;
  readonly maxToolNameLength: number;
}

/** The default capabilities. Each dialect's profile adapts them, and `capabilitiesFor` applies further overrides. */
export const defaultCapabilities: Capabilities = {
  maxTokensName: "max_tokens",
  defaultMaxTokens: 8_192,
  acceptsSampling: true,
  acceptsTopPWithTemperature: true,
  acceptsTopK: true,
  acceptsDeveloperRole: false,
  acceptsStop: true,
  maxStopSequences: 4,
  acceptsBlankStop: true,
  maxTemperature: 2,
  efforts: [],
  reasoning: "none",
  alwaysThinks: false,
  hidesThinking: false,
  bindsThinking: false,
  echoesReasoning: false,
  reasoningMember: "reasoning_content",
  needsReasoning: false,
  thinksByDefault: false,
  reasonsWithTools: true,
  toolsNeedResponses: false,
  combinesTools: false,
  thinkingMember: "reasoning_effort",
  shortCallIds: false,
  acceptsStreamOptions: true,
  structuredOutput: "json-schema",
  rejectedMembers: [],
  memberNames: {},
  toolChoices: ["auto", "none", "required", "tool"],
  jsonSchemaTools: true,
  customTools: false,
  acceptsSystemTurns: true,
  acceptsUserAfterTools: true,
  acceptsContentParts: true,
  acceptsPrefill: false,
  optionalMembers: [],
  cacheControl: "none",
  images: "any",
  documents: "any",
  audio: true,
  toolNamePattern: /^[a-zA-Z0-9_-]+$/,
  maxToolNameLength: 64,
};
