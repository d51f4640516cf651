import type { UpstreamConfig } from "../../config/proxy/config.ts";
import { AppError } from "../../errors.ts";
import { describeExcess, findExcess, type JsonBounds } from "../../json/bounds.ts";
import { getUpstreamProfile } from "../dialects/index.ts";
import { sendTo } from "../upstream/clients.ts";
import type { Pools } from "../upstream/pools.ts";
import { requestHeaders } from "../upstream/request-headers.ts";
import { readText } from "../upstream/send.ts";

/** A model in an upstream's list. */
export interface CatalogModel {
  readonly id: string;
  readonly upstream: UpstreamConfig;
  readonly displayName: string;
  /** Seconds since 1970; 0 if unknown. */
  readonly created: number;
  readonly ownedBy: string;
  /**
   * The entry in the upstream's list, for clients of the same dialect; undefined if the configuration names the model,
   * or if `id` has the form `upstream/model`.
   */
  readonly raw: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The models that the upstreams list. A list is fetched on first use, and again on the first use after 5 minutes, or
 * after 30 seconds if the fetch failed.
 */
export interface ModelCatalog {
  /**
   * Returns the models of all upstreams, in the order of the configuration; none for an upstream whose list is not
   * available.
   */
  models(): Promise<readonly CatalogModel[]>;
  /** Returns the upstreams that list this id, in the order of the configuration. */
  serving(id: string): Promise<readonly UpstreamConfig[]>;
  /** Returns whether the upstream's list contains this id; false if the list has not been fetched yet. */
  lists(upstream: UpstreamConfig, id: string): boolean;
  /** Fetches an upstream's list if it is missing or old, without waiting for it. */
  refresh(upstream: UpstreamConfig): void;
}

const FRESH_MS = 5 * 60_000;
/** Milliseconds before a failed fetch is repeated. */
const RETRY_MS = 30_000;
const RESPONSE_TIMEOUT_MS = 3_000;
/** Bounds of a model list, which allow about 9,500 models with 20 members each. */
const LIST_BOUNDS: JsonBounds = { values: 200_000, depth: 64 };

/** Statuses of upstreams that have no list. Other errors can be temporary. */
const HAS_NO_LIST: ReadonlySet<number> = new Set([404, 405, 501]);

interface Listing {
  models: readonly CatalogModel[];
  until: number;
  pending: Promise<void> | undefined;
}

/** Creates a catalog, without fetching a list. Requests for lists carry `instanceId`, to detect forwarding loops. */
export function createModelCatalog(
  upstreams: readonly UpstreamConfig[],
  pools: Pools,
  instanceId: string,
): ModelCatalog {
  const listings = new Map<string, Listing>();
  const refresh = (upstream: UpstreamConfig, listing: Listing): Promise<void> => {
    listing.pending ??= listModels(upstream, pools, instanceId)
      .then(
        (models) => Object.assign(listing, { models, until: Date.now() + FRESH_MS }),
        () => Object.assign(listing, { until: Date.now() + RETRY_MS }),
      )
      .then(() => {
        listing.pending = undefined;
      });
    return listing.pending;
  };
  const getListing = async (upstream: UpstreamConfig): Promise<readonly CatalogModel[]> => {
    let listing = listings.get(upstream.name);
    if (!listing) {
      listing = { models: [], until: 0, pending: undefined };
      listings.set(upstream.name, listing);
    }
    if (listing.until < Date.now()) {
      const asked = refresh(upstream, listing);
      // While a new list is fetched, the old one is returned.
      if (listing.until === 0) await asked;
    }
    return listing.models;
  };
  const listed = new WeakMap<readonly CatalogModel[], ReadonlySet<string>>();
  const getIds = (models: readonly CatalogModel[]): ReadonlySet<string> => {
    const ids = listed.get(models) ?? new Set(models.map(({ id }) => id));
    listed.set(models, ids);
    return ids;
  };
  const models = async () => (await Promise.all(upstreams.map(getListing))).flat();
  return {
    models,
    lists(upstream, id) {
      const listing = listings.get(upstream.name);
      return listing !== undefined && getIds(listing.models).has(id);
    },
    refresh: (upstream) => void getListing(upstream),
    async serving(id) {
      const all = await models();
      return [...new Set(all.filter((model) => model.id === id).map((model) => model.upstream))];
    },
  };
}

async function listModels(
  upstream: UpstreamConfig,
  pools: Pools,
  instanceId: string,
): Promise<CatalogModel[]> {
  if (upstream.models) return upstream.models.map((id) => toModel(upstream, id, undefined));
  if (upstream.dialect === "any" || upstream.credentials === "client") return [];
  const headers = requestHeaders(upstream, upstream.keys[0], [
    ["accept", "application/json"],
    ["accept-encoding", "identity"],
    ["x-sallyport-via", instanceId],
  ]);
  const response = await sendTo(pools, upstream, {
    method: "GET",
    path: `/models${getUpstreamProfile(upstream.dialect).modelListQuery}`,
    headers,
    body: null,
    firstByteMs: RESPONSE_TIMEOUT_MS,
    signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
  });
  const text = await readText(response, upstream.name);
  if (HAS_NO_LIST.has(response.status)) return [];
  if (response.status !== 200)
    throw new AppError("upstream_error", `The upstream ${upstream.name} returned status ${response.status}`);
  const excess = await findExcess(Buffer.from(text), LIST_BOUNDS);
  if (excess)
    throw new AppError(
      "upstream_invalid",
      `The upstream ${upstream.name} listed models in JSON that ${describeExcess(excess, LIST_BOUNDS)}`,
    );
  return readList(upstream, JSON.parse(text));
}

function readList(upstream: UpstreamConfig, value: unknown): CatalogModel[] {
  const { data, models } = Object(value) as { data?: unknown; models?: unknown };
  const entries = Array.isArray(data) ? data : Array.isArray(models) ? models : [];
  return entries.flatMap((entry: unknown) => {
    if (typeof entry !== "object" || entry === null) return [];
    const raw = entry as Record<string, unknown>;
    const name = typeof raw["id"] === "string" ? raw["id"] : raw["name"];
    return typeof name === "string" ? [toModel(upstream, name.replace(/^models\//, ""), raw)] : [];
  });
}

function toModel(
  upstream: UpstreamConfig,
  id: string,
  raw: Readonly<Record<string, unknown>> | undefined,
): CatalogModel {
  const text = (name: string) => (typeof raw?.[name] === "string" ? raw[name] : undefined);
  return {
    id,
    upstream,
    displayName: text("display_name") ?? text("displayName") ?? id,
    created: toSeconds(raw?.["created"]) ?? toSeconds(Date.parse(text("created_at") ?? "") / 1000) ?? 0,
    ownedBy: text("owned_by") ?? upstream.name,
    raw,
  };
}

/** Maximum time in seconds. A larger number counts milliseconds, because in seconds it would be after the year 5138. */
const MAX_SECONDS = 100_000_000_000;

/** Returns whole seconds since 1970 of a time in seconds or milliseconds; undefined for other values. */
function toSeconds(value: unknown): number | undefined {
  if (typeof value !== "number") return undefined;
  const seconds = Math.abs(value) > MAX_SECONDS ? value / 1_000 : value;
  return Math.abs(seconds) <= MAX_SECONDS ? Math.floor(seconds) : undefined;
}
