import { defined } from "./defined.ts";
import { isObject } from "./json.ts";
import type { LossList } from "./loss.ts";
import type { HostedTool } from "./request.ts";

/** Options that a client set when it declared a web search tool. */
export interface WebSearchOptions {
  readonly allowedDomains?: readonly unknown[];
  readonly blockedDomains?: readonly unknown[];
  /** An object with `city`, `region`, `country` and `timezone`. */
  readonly location?: Readonly<Record<string, unknown>>;
  readonly contextSize?: unknown;
  readonly maxUses?: unknown;
  /** Names of options that only the vendor of the client's dialect supports. */
  readonly others?: readonly string[];
}

/** Members that `readWebSearchOptions` reads, and members that only identify the tool. */
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

/** Reads the options of a web search tool in any dialect. Options with their default value are left out. */
export function readWebSearchOptions(tool: HostedTool): WebSearchOptions {
  const raw = isObject(tool.raw) ? tool.raw : {};
  // A tool without a type has one member, which is named after the tool and contains its options.
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

/** Reports the options that are set and not in `supported` as a loss. */
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
