import { defined } from "../../exchange/defined.ts";
import { invalidRequest } from "../../exchange/dialect-error.ts";
import { ownMember } from "../../exchange/json.ts";
import type { Converted } from "../../exchange/loss.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";
import { parseRequestPiece } from "../shared/parse.ts";
import { requestSchema, type WireRequest } from "./schema.ts";

const known = new Set(Object.keys(requestSchema.shape));
/** Default values by member; dropping them loses nothing. */
const idle: Readonly<Record<string, readonly unknown[]>> = {
  echo: [false],
  best_of: [1],
  suffix: [""],
};

/**
 * Parses a completions request body, whose prompt becomes a user message. Throws `DialectError` (400) if the body is
 * invalid or the prompt is not a single text.
 */
export function decodeRequest(body: unknown): Converted<ExchangeRequest> {
  const wire = parseRequestPiece(requestSchema, body);
  const value: ExchangeRequest = defined({
    model: wire.model,
    stream: wire.stream ?? false,
    instructions: [],
    turns: [{ role: "user" as const, parts: [{ type: "text" as const, text: decodePrompt(wire.prompt) }] }],
    tools: [],
    sampling: defined({
      // The dialect's default is 16. Without a limit, the response would extend to the model's limit.
      maxOutputTokens: wire.max_tokens ?? 16,
      temperature: wire.temperature ?? undefined,
      topP: wire.top_p ?? undefined,
      stop: typeof wire.stop === "string" ? [wire.stop] : (wire.stop ?? undefined),
      seed: wire.seed ?? undefined,
      frequencyPenalty: wire.frequency_penalty ?? undefined,
      presencePenalty: wire.presence_penalty ?? undefined,
      candidates: wire.n ?? undefined,
      logitBias: wire.logit_bias ?? undefined,
    }),
    streamUsage: wire.stream_options?.include_usage ?? undefined,
    user: wire.user ?? undefined,
    extensions: decodeExtensions(wire),
  });
  return { value, losses: [] };
}

function decodePrompt(prompt: unknown): string {
  if (typeof prompt === "string") return prompt;
  const [only, ...more] = Array.isArray(prompt) ? prompt : [];
  if (typeof only === "string" && more.length === 0) return only;
  throw invalidRequest(
    "prompt must be one text: token lists and several prompts cannot be translated",
    "prompt",
  );
}

function decodeExtensions(wire: WireRequest): ExchangeRequest["extensions"] {
  const rest = Object.entries(wire).filter(
    ([key, value]) => !known.has(key) && value !== null && ownMember(idle, key)?.includes(value) !== true,
  );
  return rest.length === 0 ? {} : { completions: Object.fromEntries(rest) };
}
