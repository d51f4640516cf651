import { defined } from "./defined.ts";
import { isObject } from "./json.ts";
import type { LossList } from "./loss.ts";
import type { HostedTool } from "./request.ts";

/** What a client wants a vendor's web search to heed, out of its own declaration of the tool. */
export interface WebSearchOptions {
  readonly allowedDomains?: readonly unknown[];
  readonly blockedDomains?: readonly unknown[];
  /** `city`, `region`, `country`, `timezone`, in every dialect alike. */
  readonly place?: Readonly<Record<string, unknown>>;
  readonly contextSize?: unknown;
  readonly maxUses?: unknown;
  /** Names of wishes that only the client's own vendor knows. */
  readonly further?: readonly string[];
}

/** Members that are read here, or only name the tool. */
const understood = new Set([
  "type",
  "name",
  "filters",
  "allowed_domains",
  "blocked_domains",
  "user_location",
  "search_context_size",
  "max_uses",
]);

/** Reads the wishes of a web search tool of any dialect; a default that is said is no wish. */
export function readWebSearchOptions(tool: HostedTool): WebSearchOptions {
  const raw = isObject(tool.raw) ? tool.raw : {};
  // Tools without a type are named by the member that holds their options.
  const held = typeof raw["type"] === "string" ? raw : Object.values(raw)[0];
  const said = isObject(held) ? held : {};
  const filters = isObject(said["filters"]) ? said["filters"] : {};
  const size = said["search_context_size"];
  const further = Object.entries(said).filter(([name, value]) => !understood.has(name) && isWish(value));
  return defined({
    allowedDomains: listOf(filters["allowed_domains"] ?? said["allowed_domains"]),
    blockedDomains: listOf(filters["blocked_domains"] ?? said["blocked_domains"]),
    place: placeOf(said["user_location"]),
    contextSize: size === "medium" || size === null ? undefined : size,
    maxUses: said["max_uses"] ?? undefined,
    further: further.length > 0 ? further.map(([name]) => name) : undefined,
  });
}

/** Tells as lost what of these wishes the upstream's dialect has no word for. */
export function reportLostOptions(
  wishes: WebSearchOptions,
  said: readonly (keyof WebSearchOptions)[],
  list: LossList,
): void {
  const lost = Object.keys(wishes).filter((name) => !said.some((known) => known === name));
  if (lost.length === 0) return;
  const names = lost.flatMap((name) => (name === "further" ? (wishes.further ?? []) : [name]));
  list.add("web-search-options", `The upstream's web search cannot be told ${names.join(", ")}.`);
}

function isWish(value: unknown): boolean {
  return value !== undefined && value !== null && value !== true;
}

function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value : undefined;
}

function placeOf(location: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isObject(location)) return undefined;
  const { type: _, ...place } = isObject(location["approximate"]) ? location["approximate"] : location;
  return place;
}
