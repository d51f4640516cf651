import { defined } from "./defined.ts";
import { isObject } from "./json.ts";
import type { LossList } from "./loss.ts";
import type { HostedTool } from "./request.ts";

/** Options of a web search that the client's declaration of the tool sets. */
export interface WebSearchOptions {
  readonly allowedDomains?: readonly unknown[];
  readonly blockedDomains?: readonly unknown[];
  /** `city`, `region`, `country`, `timezone`, the same in every dialect. */
  readonly location?: Readonly<Record<string, unknown>>;
  readonly contextSize?: unknown;
  readonly maxUses?: unknown;
  /** Names of options that only the client's own vendor knows. */
  readonly others?: readonly string[];
}

/** Members that are read here or only identify the tool. */
const known = new Set([
  "type",
  "name",
  "filters",
  "allowed_domains",
  "blocked_domains",
  "user_location",
  "search_context_size",
  "max_uses",
]);

/** Reads the options of a web search tool of any dialect; omits an option that has its default value. */
export function readWebSearchOptions(tool: HostedTool): WebSearchOptions {
  const raw = isObject(tool.raw) ? tool.raw : {};
  // Tools without a type are named by the member that holds their options.
  const holder = typeof raw["type"] === "string" ? raw : Object.values(raw)[0];
  const options = isObject(holder) ? holder : {};
  const filters = isObject(options["filters"]) ? options["filters"] : {};
  const size = options["search_context_size"];
  const others = Object.entries(options).filter(([name, value]) => !known.has(name) && isSet(value));
  return defined({
    allowedDomains: toList(filters["allowed_domains"] ?? options["allowed_domains"]),
    blockedDomains: toList(filters["blocked_domains"] ?? options["blocked_domains"]),
    location: readLocation(options["user_location"]),
    contextSize: size === "medium" || size === null ? undefined : size,
    maxUses: options["max_uses"] ?? undefined,
    others: others.length > 0 ? others.map(([name]) => name) : undefined,
  });
}

/** Reports the options that are not in `supported` as lost. */
export function reportLostOptions(
  options: WebSearchOptions,
  supported: readonly (keyof WebSearchOptions)[],
  list: LossList,
): void {
  const lost = Object.keys(options).filter((name) => !supported.some((each) => each === name));
  if (lost.length === 0) return;
  const names = lost.flatMap((name) => (name === "others" ? (options.others ?? []) : [name]));
  list.add("web-search-options", `The upstream's web search has no options ${names.join(", ")}.`);
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== true;
}

function toList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value : undefined;
}

function readLocation(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isObject(value)) return undefined;
  const { type: _, ...location } = isObject(value["approximate"]) ? value["approximate"] : value;
  return location;
}
