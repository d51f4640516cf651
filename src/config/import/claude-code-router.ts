import { z } from "zod";
import {
  freeName,
  type Imported,
  type ImportedRule,
  type ImportedUpstream,
  importKey,
  importSecret,
  Notes,
  parseForeign,
} from "./imported.ts";

/** Converts the `config.json` of claude-code-router: github.com/musistudio/claude-code-router. */

const text = z.string().min(1);

const providerSchema = z.looseObject({
  name: text,
  api_base_url: z.url({ protocol: /^https?$/ }),
  api_key: z.string().nullish(),
  models: z.array(text).default([]),
  transformer: z.looseObject({ use: z.array(z.unknown()).optional() }).nullish(),
});
type Provider = z.infer<typeof providerSchema>;

const routerSchema = z.looseObject({
  default: text.nullish(),
  background: text.nullish(),
  think: text.nullish(),
  longContext: text.nullish(),
  longContextThreshold: z.coerce.number().int().positive().nullish(),
  webSearch: text.nullish(),
  image: text.nullish(),
});
type Router = z.infer<typeof routerSchema>;

const ccrSchema = z.looseObject({
  Providers: z.array(providerSchema),
  Router: routerSchema.nullish(),
  PORT: z.coerce.number().int().min(1).max(65_535).nullish(),
  HOST: text.nullish(),
  APIKEY: text.nullish(),
  API_TIMEOUT_MS: z.coerce.number().nonnegative().nullish(),
});

/** Matches a reference to an environment variable in the file. */
const REFERENCE = /^\$\{?(\w+)\}?$/;

/** The default threshold of the router's long-context route, in tokens. */
const LONG_CONTEXT_TOKENS = 60_000;

const SETTINGS = {
  Providers: "",
  Router: "",
  PORT: "",
  HOST: "",
  APIKEY: "",
  API_TIMEOUT_MS: "",
  LOG: "was left out: the proxy logs the metadata of each call",
  LOG_LEVEL: "was left out: the proxy logs the metadata of each call",
  PROXY_URL: "was left out: set HTTPS_PROXY in the proxy's environment",
  CUSTOM_ROUTER_PATH:
    "was left out: a rule can test the model, headers, tokens, images and tools, but not run code",
  NON_INTERACTIVE_MODE: "was left out: the proxy never reads a terminal",
  StatusLine: "was left out: the proxy has no status line",
  transformers: "was left out: the proxy translates between dialects by itself",
} as const;

/** Transformers that only convert formats, as the proxy's translation does. */
const ADAPTERS =
  /^(?:anthropic|deepseek|gemini|openrouter|groq|openai|openai-responses|cerebras|tooluse|cleancache)$/i;

/** Converts a configuration. Throws `configuration` if the file is not a valid configuration of claude-code-router. */
export function importClaudeCodeRouter(value: unknown, file: string): Imported {
  const config = parseForeign(ccrSchema, value, file);
  const notes = new Notes();
  notes.addSection("", config, SETTINGS);
  const upstreams: Record<string, ImportedUpstream> = {};
  /** Maps the file's provider names to upstreams. */
  const names = new Map<string, string>();
  for (const provider of config.Providers) {
    const name = freeName(provider.name, upstreams);
    upstreams[name] = describeUpstream(provider, notes);
    names.set(provider.name, name);
  }
  const { HOST: host, PORT: port, APIKEY: key, API_TIMEOUT_MS: timeout } = config;
  const isOpen = host !== null && host !== undefined && !/^(?:127\.|localhost$|::1$)/.test(host);
  const proxy = {
    ...(port && { port }),
    ...(isOpen && { host, allow_lan_access: true }),
    ...(key && {
      auth_mode: "all_except_health",
      api_keys: [importKey("claude-code-router", importSecret(key, REFERENCE))],
    }),
    upstreams,
    // claude-code-router sends a request for `provider,model` there, even if the prompt is long: direct rules come
    // first.
    models: [...directRules(config.Providers, names), ...importRoutes(config.Router ?? {}, names, notes)],
    ...(timeout ? { timeouts: { total: timeout / 1000 } } : {}),
  };
  return { proxy, notes: notes.list };
}

function describeUpstream(provider: Provider, notes: Notes): ImportedUpstream {
  const setting = `Providers.${provider.name}`;
  const transformers = (provider.transformer?.use ?? []).map((one) =>
    String(Array.isArray(one) ? one[0] : one),
  );
  for (const name of transformers.filter((name) => !ADAPTERS.test(name)))
    notes.add(
      `${setting}.transformer`,
      `${JSON.stringify(name)} was left out: the proxy has no transformers`,
    );
  const key = provider.api_key ? importSecret(provider.api_key, REFERENCE) : undefined;
  return {
    ...locate(provider.api_base_url, transformers),
    ...(key !== undefined && { api_key: key }),
    ...(provider.models.length > 0 && { models: provider.models }),
  };
}

/** Returns the dialect and the base URL of a provider, derived from the end of its URL and from its transformers. */
function locate(
  url: string,
  transformers: readonly string[],
): Pick<ImportedUpstream, "dialect" | "base_url"> {
  const { pathname } = new URL(url);
  const base_url = url.replace(/\/+$/, "");
  if (transformers.some((name) => /^gemini$/i.test(name)))
    return { dialect: "generative-language", base_url: base_url.replace(/\/models$/, "") };
  if (/\/responses\/?$/.test(pathname)) return { dialect: "responses", base_url };
  if (/\/messages\/?$/.test(pathname) || transformers.some((name) => /^anthropic$/i.test(name)))
    return { dialect: "messages", base_url };
  return { dialect: "chat-completions", base_url };
}

/** Returns the rules for the file's `Router` section, in claude-code-router's order of precedence. */
function importRoutes(router: Router, names: ReadonlyMap<string, string>, notes: Notes): ImportedRule[] {
  const tokens = router.longContextThreshold ?? LONG_CONTEXT_TOKENS;
  const routes: readonly [keyof Router & string, Pick<ImportedRule, "match" | "when">][] = [
    ["longContext", { match: "*", when: { min_tokens: tokens } }],
    ["background", { match: "claude-*haiku*" }],
    ["image", { match: "*", when: { has_image: true } }],
    ["default", { match: "claude-*" }],
  ];
  const known = new Set([...routes.map(([name]) => name), "longContextThreshold"]);
  for (const name of Object.keys(router).filter((name) => !known.has(name) && router[name]))
    notes.add(
      `Router.${name}`,
      name === "think"
        ? "was left out: a rule cannot test whether thinking is on; route by model name instead"
        : "was left out: no condition of a rule corresponds to it",
    );
  return routes.flatMap(([name, rule]) => {
    const target = router[name];
    if (typeof target !== "string" || target === "") return [];
    const comma = target.indexOf(",");
    const upstream = names.get(target.slice(0, comma).trim());
    if (upstream !== undefined) return [{ ...rule, upstream, model: target.slice(comma + 1).trim() }];
    notes.add(
      `Router.${name}`,
      `was left out: Providers has no ${JSON.stringify(target.slice(0, Math.max(comma, 0)))}`,
    );
    return [];
  });
}

/** Returns rules for `provider,model`, which users of claude-code-router type after /model. */
function directRules(providers: readonly Provider[], names: ReadonlyMap<string, string>): ImportedRule[] {
  return providers.flatMap(({ name, models }) =>
    models.map((model) => ({ match: `${name},${model}`, upstream: names.get(name) ?? name, model })),
  );
}
