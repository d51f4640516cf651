import type { ModelPrice } from "../../config/proxy/config.ts";

/** A vendor's price list, with its URL and the date on which it was read. */
interface PriceList {
  /** Date in ISO 8601. */
  readonly read: string;
  readonly source: string;
  /** Prices by model name, without vendor and date. */
  readonly prices: Readonly<Record<string, ModelPrice>>;
}

/**
 * List prices of calls that are not batched, in US dollars per million tokens. A model or a kind of token that a
 * vendor does not list has no price here. Vendors whose prices depend on the time of day (DeepSeek) or on a contract
 * are not included. The `prices` of an upstream in the configuration extend and override these prices.
 */
export const priceLists: readonly PriceList[] = [
  {
    read: "2026-10-24",
    source: "https://platform.claude.com/docs/en/about-claude/pricing",
    prices: {
      "claude-fable-5-1": claude(10, 50, 0.25),
      "claude-fable-5": claude(10, 50, 1),
      "claude-opus-5-5": claude(4, 20, 0.2),
      "claude-opus-5": claude(5, 25, 0.5),
      "claude-opus-4-8": claude(5, 25, 0.5),
      "claude-opus-4-7": claude(5, 25, 0.5),
      "claude-opus-4-6": claude(5, 25, 0.5),
      "claude-opus-4-5": claude(5, 25, 0.5),
      "claude-opus-4-1": claude(15, 75, 1.5),
      "claude-sonnet-5-5": claude(2, 10, 0.1),
      "claude-sonnet-5": claude(2, 10, 0.2),
      "claude-sonnet-4-6": claude(3, 15, 0.3),
      "claude-sonnet-4-5": { ...claude(3, 15, 0.3), longPrompt: { above: 200_000, ...claude(6, 22.5, 0.6) } },
      "claude-haiku-5-5": {
        ...claude(0.1, 0.5, 0.01),
        longPrompt: { above: 100_000, ...claude(0.5, 2.5, 0.05) },
      },
      "claude-haiku-4-5": claude(1, 5, 0.1),
    },
  },
  {
    read: "2026-09-24",
    source: "https://developers.openai.com/api/docs/pricing",
    prices: {
      "gpt-6-astra": longer({ input: 10, cacheRead: 1, output: 50 }),
      "gpt-6-sol": longer({ input: 2, cacheRead: 0.2, cacheWrite: 2.5, output: 10 }),
      "gpt-6-luna": longer({ input: 0.1, cacheRead: 0.01, cacheWrite: 0.125, output: 0.5 }),
      "gpt-5.6-terra": longer({ input: 2, cacheRead: 0.2, cacheWrite: 2.5, output: 12 }),
      "gpt-5.6-luna": longer({ input: 0.2, cacheRead: 0.02, cacheWrite: 0.25, output: 1.2 }),
    },
  },
  {
    read: "2026-07-24",
    source: "https://developers.openai.com/api/docs/pricing",
    prices: {
      "gpt-5.5": longer({ input: 5, cacheRead: 0.5, output: 30 }),
      "gpt-5.4": longer({ input: 2.5, cacheRead: 0.25, output: 15 }),
      "gpt-5.4-mini": { input: 0.75, cacheRead: 0.075, output: 4.5 },
      "gpt-5.4-nano": { input: 0.2, cacheRead: 0.02, output: 1.25 },
      "gpt-5.3-codex": { input: 1.75, cacheRead: 0.175, output: 14 },
      "gpt-5.2": { input: 1.75, cacheRead: 0.175, output: 14 },
      "gpt-5.2-codex": { input: 1.75, cacheRead: 0.175, output: 14 },
      "gpt-5.1": { input: 1.25, cacheRead: 0.125, output: 10 },
      "gpt-5.1-codex": { input: 1.25, cacheRead: 0.125, output: 10 },
      "gpt-5.1-codex-max": { input: 1.25, cacheRead: 0.125, output: 10 },
      "gpt-5.1-codex-mini": { input: 0.25, cacheRead: 0.025, output: 2 },
      "gpt-5": { input: 1.25, cacheRead: 0.125, output: 10 },
      "gpt-5-codex": { input: 1.25, cacheRead: 0.125, output: 10 },
      "gpt-5-mini": { input: 0.25, cacheRead: 0.025, output: 2 },
      "gpt-5-nano": { input: 0.05, cacheRead: 0.005, output: 0.4 },
      "gpt-4.1": { input: 2, cacheRead: 0.5, output: 8 },
      "gpt-4.1-mini": { input: 0.4, cacheRead: 0.1, output: 1.6 },
      "gpt-4.1-nano": { input: 0.1, cacheRead: 0.025, output: 0.4 },
      "gpt-4o": { input: 2.5, cacheRead: 1.25, output: 10 },
      "gpt-4o-mini": { input: 0.15, cacheRead: 0.075, output: 0.6 },
      o3: { input: 2, cacheRead: 0.5, output: 8 },
      "o4-mini": { input: 1.1, cacheRead: 0.275, output: 4.4 },
    },
  },
  {
    read: "2026-07-24",
    source: "https://ai.google.dev/gemini-api/docs/pricing",
    prices: {
      "gemini-3.6-flash": { input: 1.5, cacheRead: 0.15, output: 7.5 },
      "gemini-3.5-flash": { input: 1.5, cacheRead: 0.15, output: 9 },
      "gemini-3.5-flash-lite": { input: 0.3, cacheRead: 0.03, output: 2.5 },
      "gemini-3.1-pro-preview": gemini({ input: 2, cacheRead: 0.2, output: 12 }),
      "gemini-3.1-flash-lite": { input: 0.25, cacheRead: 0.025, output: 1.5 },
      "gemini-3-pro-preview": gemini({ input: 2, cacheRead: 0.2, output: 12 }),
      "gemini-3-flash-preview": { input: 0.5, cacheRead: 0.05, output: 3 },
      "gemini-2.5-pro": gemini({ input: 1.25, cacheRead: 0.125, output: 10 }),
      "gemini-2.5-flash": { input: 0.3, cacheRead: 0.03, output: 2.5 },
      "gemini-2.5-flash-lite": { input: 0.1, cacheRead: 0.01, output: 0.4 },
    },
  },
];

/**
 * Returns Anthropic's prices. A cache write costs 1.25 times the input price, or twice the input price if it is kept
 * for an hour.
 */
function claude(input: number, output: number, cacheRead: number) {
  return { input, cacheRead, cacheWrite: input * 1.25, cacheWriteHour: input * 2, output };
}

/** Adds OpenAI's prices for long prompts: twice the usual price for input and cache, 1.5 times for output. */
function longer(price: ModelPrice): ModelPrice {
  return { ...price, longPrompt: { above: 272_000, ...times(price, 2), output: price.output * 1.5 } };
}

/** Adds Google's prices for long prompts, with the same factors as `longer`. */
function gemini(price: ModelPrice): ModelPrice {
  return { ...price, longPrompt: { above: 200_000, ...times(price, 2), output: price.output * 1.5 } };
}

function times({ input, cacheRead, cacheWrite }: ModelPrice, factor: number) {
  return {
    input: input * factor,
    ...(cacheRead === undefined ? {} : { cacheRead: cacheRead * factor }),
    ...(cacheWrite === undefined ? {} : { cacheWrite: cacheWrite * factor }),
  };
}
