/**
 * Writes `src/proxy/models/model-data.json` from a catalog: models.dev's `api.json`, or the `models.json` of the npm
 * package `@oh-my-pi/pi-catalog`, which is generated from models.dev and the vendors' lists.
 *
 *   node scripts/model-data.mjs CATALOG.json "where it is from, and when"
 *
 * Each vendor has one text with a line per model: name, context window, output limit, prices per million
 * tokens (input, output, cache read, cache write), `i` if it takes images and `r` if it reasons; for models
 * with other prices for long prompts, also the number of tokens above which these prices apply, and the four
 * prices.
 */
import { readFileSync, writeFileSync } from "node:fs";

const [file, source] = process.argv.slice(2);
if (file === undefined || source === undefined)
  throw new Error('Usage: node scripts/model-data.mjs CATALOG.json "source"');

/** Entries that are not vendors: subscriptions of other programs, local servers and web sites. */
const LEFT_OUT = new Set(["local", "web", "cursor", "devin", "google-antigravity", "xai-oauth"]);

const catalog = JSON.parse(readFileSync(file, "utf8"));
const vendors = {};
let count = 0;
for (const [vendor, { models, ...others }] of Object.entries(catalog).sort(byName)) {
  if (LEFT_OUT.has(vendor)) continue;
  const rows = Object.entries(models ?? others)
    .sort(byName)
    .map(([name, model]) => toRow(name, model));
  if (rows.length === 0) continue;
  count += rows.length;
  vendors[vendor] = rows.join("\n");
}
const out = new URL("../src/proxy/models/model-data.json", import.meta.url);
writeFileSync(out, `${JSON.stringify({ source, models: count, vendors }, null, 2)}\n`);
console.log(`${count} models of ${Object.keys(vendors).length} vendors`);

function byName([one], [other]) {
  return one < other ? -1 : 1;
}

function toRow(name, model) {
  const { cost = {}, limit = {}, modalities = {} } = model;
  const isPriced = cost.input > 0 || cost.output > 0;
  const price = isPriced
    ? [cost.input, cost.output, cost.cacheRead ?? cost.cache_read, cost.cacheWrite ?? cost.cache_write]
    : [];
  const long = cost.longContext ?? cost.context_over_200k;
  const kinds = model.input ?? modalities.input ?? [];
  return [
    name,
    short(model.contextWindow ?? limit.context),
    short(model.maxTokens ?? limit.output),
    ...[0, 1, 2, 3].map((index) => short(price[index], index < 2 && isPriced)),
    `${kinds.includes("image") ? "i" : ""}${model.reasoning ? "r" : ""}`,
    ...(isPriced && long ? toLongPrompt(long) : []),
  ].join("\t");
}

function toLongPrompt({ inputThreshold = 200_000, input, output, ...cache }) {
  const [read, write] = [cache.cacheRead ?? cache.cache_read, cache.cacheWrite ?? cache.cache_write];
  return [String(inputThreshold), short(input, true), short(output, true), short(read), short(write)];
}

/**
 * Returns a number as text. Returns an empty string for a value that is not a finite number and, unless `keepsZero`,
 * for 0.
 */
function short(number, keepsZero = false) {
  if (typeof number !== "number" || !Number.isFinite(number) || (number === 0 && !keepsZero)) return "";
  return String(Number(number.toPrecision(10)));
}
