import type { ModelPrice, TokenPrices, UpstreamConfig } from "../../config/proxy/config.ts";
import type { Usage } from "../exchange/response.ts";
import { type BilledTokens, billedTokens } from "../exchange/usage.ts";
import { matchesGlob } from "../glob.ts";
import { priceLists } from "./list-prices.ts";

/**
 * Returns the cost of a call in US dollars, at the configured price or else the vendor's list price. Returns
 * undefined if the model or a kind of token that it used has no price. Estimated usage has a cost only at a
 * configured price.
 */
export function computeCost(
  usage: Usage | undefined,
  upstream: UpstreamConfig | undefined,
  model: string | undefined,
): number | undefined {
  if (usage === undefined || upstream === undefined || model === undefined) return undefined;
  const price = findPrice(upstream, model);
  if (usage.estimated && price !== ownPrice(upstream, model)) return undefined;
  const tokens = price && billedTokens(usage);
  return tokens && costAt(pricesFor(price, tokens), tokens);
}

/** Returns the maximum cost of a call, in whole microdollars, rounded up: input at the price of uncached tokens. */
export function estimateMicros(price: ModelPrice, input: number, output: number): number {
  const tokens = { input, output, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 };
  const prices = pricesFor(price, tokens);
  // A price in US dollars per million tokens is one in microdollars per token.
  return Math.ceil(input * prices.input + output * prices.output - 1e-6);
}

/** Returns the price of an upstream's model; undefined if neither the configuration nor a price list has one. */
export function findPrice(upstream: UpstreamConfig, model: string): ModelPrice | undefined {
  const known = found.get(upstream) ?? new Map<string, ModelPrice | undefined>();
  found.set(upstream, known);
  if (known.has(model)) return known.get(model);
  const price = find(upstream, model);
  // Clients choose the names, so the cache is bounded.
  if (known.size < MAX_CACHED_PRICES) known.set(model, price);
  return price;
}

/** Cached prices by model: calls use the same few models again and again. */
const found = new WeakMap<UpstreamConfig, Map<string, ModelPrice | undefined>>();
const MAX_CACHED_PRICES = 1_000;

function find(upstream: UpstreamConfig, model: string): ModelPrice | undefined {
  return ownPrice(upstream, model) ?? listed.get(listName(model));
}

function ownPrice({ prices }: UpstreamConfig, model: string): ModelPrice | undefined {
  for (const [pattern, price] of prices) if (matchesGlob(pattern, model)) return price;
  return undefined;
}

const listed = new Map(priceLists.flatMap(({ prices }) => Object.entries(prices)));

/** Returns a model's name in the form of price lists: without vendor, date, `latest` and window size. */
function listName(model: string): string {
  return model
    .toLowerCase()
    .replace(/^.*\//, "")
    .replace(/\[1m\]$/, "")
    .replace(/-(?:\d{8}|\d{4}-\d\d-\d\d|latest)$/, "");
}

function pricesFor(price: ModelPrice, tokens: BilledTokens): TokenPrices {
  const { longPrompt } = price;
  if (longPrompt === undefined) return price;
  const prompt = tokens.input + tokens.cacheRead + tokens.cacheWrite + tokens.cacheWriteHour;
  return prompt > longPrompt.above ? longPrompt : price;
}

function costAt(prices: TokenPrices, tokens: BilledTokens): number | undefined {
  const sum =
    tokens.input * prices.input +
    tokens.output * prices.output +
    part(tokens.cacheRead, prices.cacheRead) +
    part(tokens.cacheWrite, prices.cacheWrite) +
    part(tokens.cacheWriteHour, prices.cacheWriteHour);
  return Number.isNaN(sum) ? undefined : Math.round(sum * 1_000) / 1_000_000_000;
}

/** Returns the price of one kind of token; NaN if there are tokens without a price. */
function part(tokens: number, price: number | undefined): number {
  return tokens === 0 ? 0 : tokens * (price ?? Number.NaN);
}
