import { z } from "zod";
import { createRecordSchema } from "../shared/record-schema.ts";

/** Schemas of the members that the codec reads (https://platform.openai.com/docs/api-reference/completions). */
const text = z.string().nullish();
const number = z.number().nullish();
const count = z.number().int().nullish();

export const requestSchema = z.looseObject({
  model: z.string(),
  prompt: z.unknown().optional(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: count,
  temperature: number,
  top_p: number,
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  seed: count,
  frequency_penalty: number,
  presence_penalty: number,
  n: count,
  logit_bias: createRecordSchema(z.number()).nullish(),
  user: text,
});
export type WireRequest = z.infer<typeof requestSchema>;

const usageSchema = z.looseObject({ prompt_tokens: count, completion_tokens: count });

export const responseSchema = z.looseObject({
  id: text,
  // Any other value counts as absent, as in the schema of chat-completions.
  created: number.catch(undefined),
  model: text,
  choices: z
    .array(
      z.looseObject({
        index: z.number().nullish(),
        text,
        finish_reason: text,
        logprobs: z.unknown().optional(),
      }),
    )
    .nullish(),
  usage: usageSchema.nullish(),
});
export type WireResponse = z.infer<typeof responseSchema>;
