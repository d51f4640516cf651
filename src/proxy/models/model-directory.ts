import type { ProxyConfig, UpstreamConfig } from "../../config/proxy/config.ts";
import {
  createPrice,
  type ModelData,
  parseModelData,
  type VendorModels,
} from "../../config/proxy/model-data.ts";
import { findVendor } from "../../config/proxy/vendors.ts";
import { AppError, getErrorMessage } from "../../errors.ts";
import { parseBaseUrl } from "../upstream/clients.ts";
import type { Pools } from "../upstream/pools.ts";
import { readText, sendUpstream } from "../upstream/send.ts";
import type { KnownModel, ModelLookup } from "../usage/cost.ts";

/** Loads the model data for the upstreams of a configuration on first use. */
export interface ModelDirectory {
  /** Returns a promise that resolves when the data is loaded; undefined if data is already loaded or not needed. */
  load(): Promise<void> | undefined;
  /** Returns why the last request for `model_data.url` failed; undefined if it succeeded or there was none. */
  failure(): string | undefined;
}

/** The state that is kept when the configuration is reloaded. */
export interface ModelDataHost {
  /** The data of the last successful request, by URL. */
  readonly fetched: Map<string, VendorModels>;
  /** Receives the reason when a request for `model_data.url` fails. */
  readonly onFailure: (reason: string) => void;
}

const FRESH_MS = 24 * 60 * 60_000;
const RETRY_MS = 10 * 60_000;
const MAX_BYTES = 64 * 1024 * 1024;
const RESPONSE_TIMEOUT_MS = 10_000;

/**
 * Creates the directory of a configuration. Whenever data has been loaded, calls `publish` with the lookup of each
 * upstream that the data can contain. Data from `model_data` takes precedence over the bundled data. If a request
 * fails, the data in `host.fetched` is used.
 */
export function createModelDirectory(
  { upstreams, modelData }: Pick<ProxyConfig, "upstreams" | "modelData">,
  pools: Pools,
  publish: (upstream: UpstreamConfig, lookup: ModelLookup) => void,
  host: ModelDataHost = { fetched: new Map(), onFailure: () => {} },
): ModelDirectory {
  const hasOwn = modelData.own !== undefined || modelData.url !== undefined;
  const wanted = [...upstreams.values()].filter(
    (upstream) => upstream.dialect !== "any" && (hasOwn || listNames(upstream).length > 1),
  );
  let until = 0;
  let isLoaded = wanted.length === 0;
  let own = modelData.own ?? {};
  let pending: Promise<void> | undefined;
  let failure: string | undefined;
  const refresh = async () => {
    until = modelData.url === undefined ? Number.POSITIVE_INFINITY : Date.now() + FRESH_MS;
    if (modelData.url !== undefined) {
      try {
        own = await fetchModelData(modelData.url, pools);
        host.fetched.set(modelData.url, own);
        failure = undefined;
      } catch (error) {
        failure = getErrorMessage(error);
        host.onFailure(failure);
        // The data of the last successful request stays in use; without it, only the bundled data is used.
        own = host.fetched.get(modelData.url) ?? own;
        until = Date.now() + RETRY_MS;
      }
    }
    const bundled = await loadBundled();
    for (const upstream of wanted) publish(upstream, createLookup(listNames(upstream), own, bundled));
    isLoaded = true;
  };
  return {
    failure: () => failure,
    load() {
      if (isLoaded && (wanted.length === 0 || until > Date.now())) return undefined;
      pending ??= refresh().finally(() => {
        pending = undefined;
      });
      // While new data is fetched, calls use the old data.
      return isLoaded ? undefined : pending;
    },
  };
}

/** Returns the names under which model data can contain an upstream: its own name, then those of its vendor. */
function listNames({ name, vendor = "" }: UpstreamConfig): readonly string[] {
  return [name, ...(findVendor(vendor)?.modelData ?? [])];
}

/** Fetches and parses model data. Throws an `AppError` if the request fails or the data is invalid. */
async function fetchModelData(url: string, pools: Pools): Promise<VendorModels> {
  const { origin, prefix, query } = parseBaseUrl(url);
  const response = await sendUpstream(pools.get(origin, RESPONSE_TIMEOUT_MS), "model_data", {
    method: "GET",
    path: `${prefix || "/"}${query === "" ? "" : `?${query}`}`,
    headers: ["accept", "application/json", "accept-encoding", "gzip, br"],
    body: null,
    firstByteMs: RESPONSE_TIMEOUT_MS,
    idleMs: RESPONSE_TIMEOUT_MS,
  });
  const text = await readText(response, "model_data", MAX_BYTES);
  if (response.status !== 200)
    throw new AppError(
      "upstream_error",
      `Cannot fetch the model data from ${url}: the server returned status ${response.status}`,
    );
  return parseModelData(text, url);
}

interface BundledData {
  readonly vendors: Readonly<Record<string, string>>;
}

async function loadBundled(): Promise<BundledData> {
  const { default: data } = await import("./model-data.json", { with: { type: "json" } });
  return data;
}

function createLookup(names: readonly string[], own: VendorModels, { vendors }: BundledData): ModelLookup {
  const [, ...vendorNames] = names;
  const bundled = vendorNames.map((name) => parseRows(vendors[name] ?? ""));
  const known = new Map<string, KnownModel | undefined>();
  const find = (model: string): KnownModel | undefined => {
    for (const name of names) {
      const data = own[name];
      if (data !== undefined && Object.hasOwn(data, model))
        return { ...(data[model] as ModelData), isOwn: true };
    }
    for (const rows of bundled) {
      const row = rows.get(model);
      if (row !== undefined) return { ...parseRow(row), isOwn: false };
    }
    return undefined;
  };
  return (model) => {
    if (known.has(model)) return known.get(model);
    const found = find(model);
    // Clients choose the names, so the cache is bounded.
    if (known.size < MAX_CACHED) known.set(model, found);
    return found;
  };
}

const MAX_CACHED = 1_000;

/** Returns the cells of each row by model name. `scripts/model-data.mjs` describes the format. */
function parseRows(text: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    text.split("\n").map((line) => {
      const [name = "", ...cells] = line.split("\t");
      return [name, cells];
    }),
  );
}

function parseRow(cells: readonly string[]): ModelData {
  const [context, output] = cells;
  const flags = cells[6] ?? "";
  const [above = "", ...long] = cells.slice(7);
  return {
    contextWindow: toNumber(context),
    maxOutputTokens: toNumber(output),
    takesImages: flags.includes("i"),
    reasons: flags.includes("r"),
    price: createPrice(parsePrices(cells.slice(2, 6)), Number(above), parsePrices(long)),
  };
}

function parsePrices([input, output, cacheRead, cacheWrite]: readonly string[]) {
  return {
    input: toNumber(input),
    output: toNumber(output),
    cacheRead: toNumber(cacheRead),
    cacheWrite: toNumber(cacheWrite),
  };
}

function toNumber(text: string | undefined): number | undefined {
  return text ? Number(text) : undefined;
}
