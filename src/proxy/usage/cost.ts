import type { ModelPrice, TokenPrices, UpstreamConfig } from "../../config/proxy/config.ts";
import type { ModelData } from "../../config/proxy/model-data.ts";
import type { Usage } from "../exchange/response.ts";
import { type BilledTokens, billedTokens } from "../exchange/usage.ts";
import { matchesGlob } from "../glob.ts";
import { priceLists } from "./list-prices.ts";

/**
 * Returns the cost of a call in US dollars, at the price that `findPrice` returns. Returns undefined if the model has
 * no price, if the call used a kind of token that has none, or if the usage lacks the input or output count. Estimated
 * usage has a cost only at a price in the `prices` of the upstream's configuration.
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
  return tokens && costAt(pricesFor(price, tokens, usage.calls), tokens);
}

/** Estimates the cost of a call in whole microdollars, rounded up. All input has the price of uncached tokens. */
export function estimateMicros(price: ModelPrice, input: number, output: number): number {
  const tokens = { input, output, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 };
  const prices = pricesFor(price, tokens);
  // A price in US dollars per million tokens equals the price in microdollars per token.
  return Math.ceil(input * prices.input + output * prices.output - 1e-6);
}

/**
 * Returns the price of an upstream's model: the one in the upstream's configuration, else in the user's own model data,
 * else in the price lists, else in the bundled model data. Returns undefined if none of them has a price for the model.
 */
export function findPrice(upstream: UpstreamConfig, model: string): ModelPrice | undefined {
  let known = found.get(upstream);
  if (known === undefined) {
    known = new Map();
    found.set(upstream, known);
  }
  const data = findModelData(upstream, model);
  const cached = known.get(model);
  // Model data can be loaded after the first call, and data from `model_data.url` is replaced once a day.
  if (cached !== undefined && cached.data === data) return cached.price;
  const price = find(upstream, model, data);
  // Clients choose the names, so the cache is bounded.
  if (known.size < MAX_CACHED_PRICES) known.set(model, { price, data });
  return price;
}

interface FoundPrice {
  readonly price: ModelPrice | undefined;
  readonly data: KnownModel | undefined;
}

/** Cached prices of each upstream by model, because most calls use the same few models. */
const found = new WeakMap<UpstreamConfig, Map<string, FoundPrice>>();
const MAX_CACHED_PRICES = 1_000;

function find(upstream: UpstreamConfig, model: string, data: KnownModel | undefined): ModelPrice | undefined {
  const own = ownPrice(upstream, model) ?? (data?.isOwn ? data.price : undefined);
  return own ?? listed.get(listName(model)) ?? data?.price;
}

function ownPrice({ prices }: UpstreamConfig, model: string): ModelPrice | undefined {
  for (const [pattern, price] of prices) if (matchesGlob(pattern, model)) return price;
  return undefined;
}

const listed = new Map(priceLists.flatMap(({ prices }) => Object.entries(prices)));

/** Returns a model's name as price lists contain it: in lower case, without vendor, date, `latest` and window size. */
function listName(model: string): string {
  return model
    .toLowerCase()
    .replace(/^.*\//, "")
    .replace(/\[1m\]$/, "")
    .replace(/-(?:\d{8}|\d{4}-\d\d-\d\d|latest)$/, "");
}

/**
 * Returns the prices of long prompts if the average prompt is long, else the usual ones. `tokens` is the sum over
 * `calls` calls.
 */
function pricesFor(price: ModelPrice, tokens: BilledTokens, calls = 1): TokenPrices {
  const { longPrompt } = price;
  if (longPrompt === undefined) return price;
  const prompt = tokens.input + tokens.cacheRead + tokens.cacheWrite + tokens.cacheWriteHour;
  return prompt / calls > longPrompt.above ? longPrompt : price;
}

function costAt(prices: TokenPrices, tokens: BilledTokens): number | undefined {
  const sum =
    tokens.input * prices.input +
    tokens.output * prices.output +
    part(tokens.cacheRead, prices.cacheRead) +
    part(tokens.cacheWrite, prices.cacheWrite) +
    part(tokens.cacheWriteHour, prices.cacheWriteHour);
  return Number.isNaN(sum) ? undefined : roundMicros(sum);
}

/** Converts microdollars to US dollars, rounded to a billionth. */
function roundMicros(micros: number): number {
  return Math.round(micros * 1_000) / 1_000_000_000;
}

/** Adds costs in US dollars, rounded to a billionth; undefined if there are none. */
export function sumCosts(costs: readonly number[]): number | undefined {
  if (costs.length === 0) return undefined;
  return roundMicros(costs.reduce((sum, cost) => sum + cost, 0) * 1_000_000);
}

/** Returns the cost of one kind of token; NaN if there are tokens and no price. */
function part(tokens: number, price: number | undefined): number {
  return tokens === 0 ? 0 : tokens * (price ?? Number.NaN);
}

/** Data about a model, and whether it is the user's own. */
export interface KnownModel extends ModelData {
  readonly isOwn: boolean;
}

/** Finds the data about an upstream's model by its name. */
export type ModelLookup = (model: string) => KnownModel | undefined;

const lookups = new WeakMap<UpstreamConfig, ModelLookup>();

/** Returns the data about an upstream's model; undefined if there is none or the data is not loaded yet. */
export function findModelData(upstream: UpstreamConfig, model: string): KnownModel | undefined {
  return lookups.get(upstream)?.(model);
}

/** Sets the lookup that `findModelData` uses for an upstream. */
export function setModelLookup(upstream: UpstreamConfig, lookup: ModelLookup): void {
  lookups.set(upstream, lookup);
}
