/** What an upstream's model accepts; defaults by model family, overridable in the configuration. */
export interface Capabilities {
  readonly maxTokensName: "max_tokens" | "max_completion_tokens";
  /** Sent where a dialect demands a limit and the client named none. */
  readonly defaultMaxTokens: number;
  readonly maxOutputTokens?: number;
  readonly contextWindow?: number;
  readonly acceptsSampling: boolean;
  readonly acceptsDeveloperRole: boolean;
  readonly acceptsStop: boolean;
  readonly maxStopSequences: number;
  readonly maxTemperature: number;
  /** Names of the efforts the model knows, lowest first; empty where it does not reason. */
  readonly efforts: readonly string[];
  readonly reasoning: "none" | "effort" | "budget" | "adaptive" | "level";
  /** Whether thinking must be sent back as `reasoning_content` (DeepSeek, Kimi, GLM). */
  readonly echoesReasoning: boolean;
  readonly structuredOutput: "json-schema" | "json" | "none";
  /** Whether function tools take JSON Schema as it is (generative-language `parametersJsonSchema`). */
  readonly jsonSchemaTools: boolean;
  readonly images: "any" | "base64" | "none";
  readonly documents: "any" | "base64" | "none";
  readonly audio: boolean;
  readonly toolNamePattern: RegExp;
  readonly maxToolNameLength: number;
}
