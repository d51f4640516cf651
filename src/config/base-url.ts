import { getUpstreamProfile } from "../proxy/dialects/index.ts";
import type { UpstreamDialect } from "./proxy/config.ts";

/**
 * Returns the base URL of an upstream's operations, without trailing slash and with the query of `baseUrl`. Adds the
 * version segment if no part of the path looks like one, unless the URL ends in `/` (except at `VERSIONED_HOSTS`), ends
 * in an operation (`/chat/completions`), or belongs to a vendor without versions.
 */
export function versionedUrl(baseUrl: string, dialect: UpstreamDialect): string {
  const url = new URL(baseUrl);
  const operation = OPERATIONS.find((path) => url.pathname.replace(/\/+$/, "").endsWith(path));
  if (operation !== undefined) {
    url.pathname = url.pathname.replace(/\/+$/, "").slice(0, -operation.length);
    return plainUrl(url);
  }
  if (url.pathname.split("/").some((segment) => VERSION.test(segment))) return plainUrl(url);
  const endsInSlash = baseUrl.replace(/[?#].*$/s, "").endsWith("/") && !VERSIONED_HOSTS.has(url.hostname);
  if (endsInSlash || hasNoVersion(url, dialect)) return plainUrl(url);
  url.pathname = `${withoutSlash(url.pathname)}${getUpstreamProfile(dialect).versionPath}`;
  return plainUrl(url);
}

/** Returns a base URL without a trailing slash. */
export function plainUrl({ origin, pathname, search }: URL): string {
  return `${origin}${withoutSlash(pathname)}${search}`;
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, "");
}

const VERSION = /^v\d+([a-z]+\d*)?$/;

/** Operation paths at the end of a URL that was copied from a vendor's documentation. */
const OPERATIONS = ["/chat/completions", "/completions", "/embeddings", "/responses", "/messages"];

/** Hosts of vendors whose paths always have a version: it is added even if the URL ends in a slash. */
const VERSIONED_HOSTS = new Set([
  "api.anthropic.com",
  "api.openai.com",
  "generativelanguage.googleapis.com",
  "openrouter.ai",
]);

/** A vendor with OpenAI-compatible operations below a path without a version. */
interface VersionlessApi {
  readonly host: RegExp;
  readonly path: RegExp;
}

/**
 * The APIs without a version in their paths:
 * - Azure OpenAI deployments and Azure AI Foundry: learn.microsoft.com/azure/ai-foundry/openai/reference and
 *   …/ai-foundry/model-inference
 * - GitHub Models: docs.github.com/rest/models/inference; GitHub Copilot: the URLs that its own clients call
 * - Databricks: docs.databricks.com/machine-learning/model-serving; Perplexity: docs.perplexity.ai/api-reference
 */
const VERSIONLESS: readonly VersionlessApi[] = [
  { host: /./, path: /\/deployments\/[^/]+$/ },
  { host: /./, path: /\/models$/ },
  { host: /./, path: /\/serving-endpoints$/ },
  { host: /^models\.(?:github\.ai|inference\.ai\.azure\.com)$/, path: /^/ },
  { host: /^api\.(?:[\w-]+\.)?githubcopilot\.com$/, path: /^$/ },
  { host: /^api\.perplexity\.ai$/, path: /^$/ },
];

function hasNoVersion({ hostname, pathname }: URL, dialect: UpstreamDialect): boolean {
  if (!getUpstreamProfile(dialect).hasVersionlessVendors) return false;
  const path = withoutSlash(pathname);
  return VERSIONLESS.some((api) => api.host.test(hostname) && api.path.test(path));
}
