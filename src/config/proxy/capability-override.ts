import { z } from "zod";

/** The schema of `capabilities` in the configuration. Its members are those of `Capabilities`. */
export const capabilityOverrideSchema = z.strictObject({
  maxTokensName: z.enum(["max_tokens", "max_completion_tokens"]).optional(),
  defaultMaxTokens: z.number().int().positive().optional(),
  maxOutputTokens: z.number().int().positive().optional(),
  minOutputTokens: z.number().int().positive().optional(),
  contextWindow: z.number().int().positive().optional(),
  acceptsSampling: z.boolean().optional(),
  acceptsTopPWithTemperature: z.boolean().optional(),
  acceptsTopK: z.boolean().optional(),
  acceptsDeveloperRole: z.boolean().optional(),
  acceptsStop: z.boolean().optional(),
  maxStopSequences: z.number().int().nonnegative().optional(),
  maxTemperature: z.number().positive().optional(),
  efforts: z.array(z.string()).optional(),
  reasoning: z.enum(["none", "effort", "budget", "adaptive", "level"]).optional(),
  minThinkingTokens: z.number().int().positive().optional(),
  maxThinkingTokens: z.number().int().positive().optional(),
  alwaysThinks: z.boolean().optional(),
  hidesThinking: z.boolean().optional(),
  bindsThinking: z.boolean().optional(),
  echoesReasoning: z.boolean().optional(),
  structuredOutput: z.enum(["json-schema", "only-json-schema", "json", "none"]).optional(),
  jsonSchemaTools: z.boolean().optional(),
  customTools: z.boolean().optional(),
  acceptsSystemTurns: z.boolean().optional(),
  acceptsUserAfterTools: z.boolean().optional(),
  acceptsContentParts: z.boolean().optional(),
  acceptsPrefill: z.boolean().optional(),
  optionalMembers: z
    .array(z.string().refine(isOptionalMember, "is not an optional member: set cacheControl instead"))
    .optional(),
  cacheControl: z.enum(["none", "texts", "all"]).optional(),
  rejectedMembers: z.array(z.string()).optional(),
  memberNames: z.record(z.string(), z.string()).optional(),
  toolChoices: z.array(z.enum(["auto", "none", "required", "tool"])).optional(),
  reasoningMember: z.enum(["reasoning_content", "reasoning"]).optional(),
  needsReasoning: z.boolean().optional(),
  thinksByDefault: z.boolean().optional(),
  reasonsWithTools: z.boolean().optional(),
  toolsNeedResponses: z.boolean().optional(),
  combinesTools: z.boolean().optional(),
  thinkingMember: z.enum(["reasoning_effort", "reasoning", "thinking"]).optional(),
  shortCallIds: z.boolean().optional(),
  acceptsStreamOptions: z.boolean().optional(),
  images: z.enum(["any", "base64", "none"]).optional(),
  documents: z.enum(["any", "base64", "none"]).optional(),
  audio: z.boolean().optional(),
  toolNamePattern: z.string().refine(isPattern, "is not a regular expression").optional(),
  maxToolNameLength: z.number().int().positive().optional(),
});

/** Returns whether a name is not one of those that `cacheControl` has replaced. */
function isOptionalMember(name: string): boolean {
  return !/^((tools|request)\.)?cache_control$/.test(name);
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
