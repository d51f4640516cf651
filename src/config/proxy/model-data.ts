import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import { AppError, getErrorMessage } from "../../errors.ts";
import { getReadReason } from "../../files/read-reason.ts";
import type { ModelPrice, TokenPrices } from "./config.ts";
import { httpUrl } from "./value-schemas.ts";

/** `proxy.model_data`: a source of prices, context windows and limits that takes precedence over the bundled data. */
export const modelDataSettings = z
  .strictObject({
    file: z.string().min(1).optional().describe("A file in the form of https://models.dev/api.json."),
    url: httpUrl
      .optional()
      .describe("The URL of such a file; fetched at first use, once a day and after each reload."),
  })
  .refine(({ file, url }) => (file === undefined) !== (url === undefined), {
    error: "set either file or url",
  })
  .optional()
  .describe("Model data that takes precedence over the bundled data.");

export type ModelDataSettings = z.infer<typeof modelDataSettings>;

/** Facts about a model at one vendor. */
export interface ModelData {
  readonly contextWindow: number | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly takesImages: boolean;
  readonly reasons: boolean;
  /** The price; undefined if it is not known. */
  readonly price: ModelPrice | undefined;
}

/** Models by vendor and name. */
export type VendorModels = Readonly<Record<string, Readonly<Record<string, ModelData>>>>;

const dollars = z.number().min(0);
const cost = z.looseObject({
  input: dollars.optional(),
  output: dollars.optional(),
  cache_read: dollars.optional(),
  cache_write: dollars.optional(),
});
const model = z.looseObject({
  reasoning: z.boolean().optional(),
  modalities: z.looseObject({ input: z.array(z.string()).optional() }).optional(),
  limit: z.looseObject({ context: z.number().optional(), output: z.number().optional() }).optional(),
  cost: cost.extend({ context_over_200k: cost.optional() }).optional(),
});
const catalog = z.record(z.string(), z.looseObject({ models: z.record(z.string(), model) }));

/** Parses a catalog in the form of https://models.dev/api.json. Throws `configuration`, naming `source`. */
export function parseModelData(text: string, source: string): VendorModels {
  const vendors = catalog.safeParse(parseJson(text, source));
  if (!vendors.success) {
    const [issue] = vendors.error.issues;
    const at = issue?.path.map(String).join(".") ?? "";
    throw invalid(source, `${at}: ${issue?.message}`);
  }
  return Object.fromEntries(
    Object.entries(vendors.data).map(([vendor, { models }]) => [
      vendor,
      Object.fromEntries(Object.entries(models).map(([name, each]) => [name, toModelData(each)])),
    ]),
  );
}

/**
 * Reads the file that the settings name, if any. Throws `configuration` if the file cannot be read or parsed.
 */
export async function readModelData(
  settings: ModelDataSettings,
  folder: string,
): Promise<VendorModels | undefined> {
  if (settings?.file === undefined) return undefined;
  const path = resolve(folder, settings.file);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw new AppError("configuration", `Cannot read the model data ${path}: ${getReadReason(error)}`, {
      cause: error,
      hint: "Correct proxy.model_data.file, or make the file readable for the user who runs the proxy.",
    });
  }
  return parseModelData(text, path);
}

function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(source, getErrorMessage(error));
  }
}

function invalid(source: string, reason: string): AppError {
  return new AppError("configuration", `The model data ${source} is invalid: ${reason}`, {
    hint: "Use a file in the form of https://models.dev/api.json.",
  });
}

function toModelData({ reasoning, modalities, limit, cost: costs }: z.infer<typeof model>): ModelData {
  return {
    contextWindow: limit?.context || undefined,
    maxOutputTokens: limit?.output || undefined,
    takesImages: modalities?.input?.includes("image") ?? true,
    reasons: reasoning === true,
    price: createPrice(toPrices(costs), 200_000, toPrices(costs?.context_over_200k)),
  };
}

function toPrices(costs: z.infer<typeof cost> | undefined): KnownPrices {
  const { input, output, cache_read: cacheRead, cache_write: cacheWrite } = costs ?? {};
  return { input, output, cacheRead, cacheWrite };
}

/** US dollars per million tokens; undefined if unknown. */
type KnownPrices = Readonly<Record<"input" | "output" | "cacheRead" | "cacheWrite", number | undefined>>;

/**
 * Returns the price of a model, with the prices of prompts that exceed `above` tokens if those are known.
 * Returns undefined if the price of input or output is unknown.
 */
export function createPrice(prices: KnownPrices, above: number, long: KnownPrices): ModelPrice | undefined {
  const price = toTokenPrices(prices);
  const longPrice = toTokenPrices(long);
  return price && { ...price, longPrompt: longPrice && { above, ...longPrice } };
}

function toTokenPrices({ input, output, cacheRead, cacheWrite }: KnownPrices): TokenPrices | undefined {
  if (input === undefined || output === undefined) return undefined;
  return { input, output, cacheRead, cacheWrite, cacheWriteHour: cacheWrite };
}
