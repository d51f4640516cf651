import { z } from "zod";
import { type Imported, type ImportedRule, Notes, parseForeign } from "./imported.ts";
import { createUpstreams, type Deployment, deploymentSchema, findPrefix } from "./litellm-deployments.ts";
import { importMasterKey, importRedis, SECTIONS } from "./litellm-settings.ts";

/** Converts LiteLLM's `config.yaml`: docs.litellm.ai/docs/proxy/configs. */

const text = z.string().min(1);

const groups = z.array(z.record(z.string(), z.array(text))).nullish();
const fallbackMembers = {
  fallbacks: groups,
  context_window_fallbacks: groups,
  default_fallbacks: z.array(text).nullish(),
};

const litellmSchema = z.looseObject({
  model_list: z.array(deploymentSchema),
  router_settings: z
    .looseObject({
      routing_strategy: text.nullish(),
      model_group_alias: z.record(z.string(), z.union([text, z.looseObject({ model: text })])).nullish(),
      redis_url: text.nullish(),
      redis_host: text.nullish(),
      redis_port: z.union([text, z.number()]).nullish(),
      redis_password: z.union([text, z.number()]).nullish(),
      ...fallbackMembers,
    })
    .nullish(),
  litellm_settings: z
    .looseObject({ request_timeout: z.coerce.number().finite().nullish(), ...fallbackMembers })
    .nullish(),
  general_settings: z.looseObject({ master_key: text.nullish() }).nullish(),
});
type LitellmConfig = z.infer<typeof litellmSchema>;

/** Converts a configuration. Throws `configuration` if the file is not a valid configuration of LiteLLM. */
export function importLitellm(
  value: unknown,
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
): Imported {
  const config = parseForeign(litellmSchema, value, file);
  const notes = new Notes();
  const upstreams = createUpstreams(environment, notes);
  const targets = new Map<string, string[]>();
  const rank = (deployment: Deployment) => (findPrefix(deployment) === undefined ? 1 : 0);
  for (const deployment of config.model_list.toSorted((one, other) => rank(one) - rank(other))) {
    const target = upstreams.add(deployment);
    if (target === undefined) continue;
    targets.set(deployment.model_name, [...(targets.get(deployment.model_name) ?? []), target]);
  }
  const general = config.general_settings ?? {};
  const timeout = config.litellm_settings?.request_timeout;
  const redis = importRedis(config.router_settings ?? {}, notes);
  notes.addSection("", config, SECTIONS[""]);
  for (const name of ["router_settings", "litellm_settings", "general_settings"] as const)
    notes.addSection(name, config[name] ?? {}, SECTIONS[name]);
  const proxy = {
    ...(general.master_key && {
      auth_mode: "all_except_health",
      api_keys: [importMasterKey(general.master_key)],
    }),
    upstreams: upstreams.byName,
    models: importRules(config, targets, notes),
    ...(timeout ? { timeouts: { total: timeout } } : {}),
    ...redis,
  };
  return { proxy, notes: notes.list };
}

const STRATEGIES: Readonly<Record<string, string>> = {
  "simple-shuffle": "weighted",
  "least-busy": "least-busy",
  "latency-based-routing": "fastest",
  "cost-based-routing": "cheapest",
  "usage-based-routing": "least-busy",
  "usage-based-routing-v2": "least-busy",
};

type Targets = ReadonlyMap<string, readonly string[]>;

/** Returns a rule for each model group that its prefix does not serve, and for each alias of a converted group. */
function importRules(config: LitellmConfig, targets: Targets, notes: Notes): ImportedRule[] {
  const { routing_strategy: routing, model_group_alias: aliases } = config.router_settings ?? {};
  const strategy = STRATEGIES[routing ?? "simple-shuffle"];
  if (strategy === undefined)
    notes.add("router_settings.routing_strategy", `${routing} is not known; the default strategy is used`);
  const rules: ImportedRule[] = [];
  const prefixes: string[] = [];
  for (const [name, own] of targets) {
    // `NAME/model` reaches an upstream without a rule; a rule could not remove the prefix from the model name.
    if (name.includes("*") && own.includes(name)) {
      prefixes.push(name);
      if (new Set(own).size > 1)
        notes.add(
          `model_list.${name}`,
          "only one of its deployments is used, because a prefix selects a single upstream",
        );
      continue;
    }
    rules.push(importGroup(name, name, own, { config, targets, strategy, notes }));
    if (own.some((target) => target.includes("*") && target.slice(target.indexOf("/") + 1) !== name))
      notes.add(
        `model_list.${name}`,
        "upstreams receive the client's model name: a rule cannot change a part of it",
      );
  }
  for (const [alias, value] of Object.entries(aliases ?? {})) {
    const group = typeof value === "string" ? value : value.model;
    const own = targets.get(group);
    if (own !== undefined) rules.push(importGroup(alias, group, own, { config, targets, strategy, notes }));
  }
  // Rules apply in order: names precede patterns and, as in LiteLLM, longer patterns precede shorter ones.
  rules.sort((one, other) => comparePatterns(one.match, other.match));
  for (const name of prefixes) notePrefix(name, rules, config, notes);
  return rules;
}

/** Notes that the fallbacks of a prefix were left out, and that a rule takes precedence over the prefix. */
function notePrefix(name: string, rules: readonly ImportedRule[], config: LitellmConfig, notes: Notes): void {
  const { failed, larger } = findFallbacks([name], config);
  if (failed.length > 0 || larger.length > 0)
    notes.add(
      `model_list.${name}`,
      "its fallbacks were left out, because a prefix selects a single upstream",
    );
  const earlier = rules.find(({ match }) => match.endsWith("*") && name.startsWith(match.slice(0, -1)));
  if (earlier !== undefined)
    notes.add(
      `model_list.${name}`,
      `the rule ${JSON.stringify(earlier.match)} takes precedence over this prefix: add a rule before it for each model that the prefix must serve`,
    );
}

interface GroupContext {
  readonly config: LitellmConfig;
  readonly targets: Targets;
  readonly strategy: string | undefined;
  readonly notes: Notes;
}

/** Returns the rule of a model group, or of an alias of it: its deployments, then those of its fallbacks. */
function importGroup(
  name: string,
  group: string,
  own: readonly string[],
  { config, targets, strategy, notes }: GroupContext,
): ImportedRule {
  const { failed, larger } = findFallbacks(name === group ? [group] : [name, group], config);
  const further = [...failed, ...larger].flatMap((other) => targets.get(other) ?? []);
  const all = [...new Set([...own, ...further])];
  const hasFallbacks = all.length > own.length;
  if (own.length > 1 && hasFallbacks && name === group)
    notes.add(
      `model_list.${name}`,
      "tries its deployments in order instead of by strategy, because it has fallbacks",
    );
  const on = [...(failed.length > 0 || own.length > 1 ? ["error", "rate_limit"] : []), "context_window"];
  return {
    match: name,
    ...describeTargets(all),
    ...(own.length > 1 && !hasFallbacks && strategy !== undefined && { strategy }),
    ...(larger.length > 0 && { on }),
  };
}

/**
 * Returns the fallback groups of a model group: those for failures, and those for prompts that exceed the
 * context window. `names` are an alias and its group, or only a group; the first name that has fallbacks
 * determines the result.
 */
function findFallbacks(names: readonly string[], { router_settings, litellm_settings }: LitellmConfig) {
  const setting = <Name extends keyof typeof fallbackMembers>(member: Name) =>
    router_settings?.[member] ?? litellm_settings?.[member] ?? [];
  const of = (member: "fallbacks" | "context_window_fallbacks") =>
    names
      .map((name) => setting(member).flatMap((entry) => entry[name] ?? []))
      .find((found) => found.length > 0) ?? [];
  const named = of("fallbacks");
  const byDefault = setting("default_fallbacks").filter((other) => !names.includes(other));
  const larger = of("context_window_fallbacks");
  return { failed: named.length > 0 ? named : byDefault, larger };
}

/** Compares two rules' patterns: names come first, then longer patterns. */
function comparePatterns(one: string, other: string): number {
  const wildcards = Number(one.includes("*")) - Number(other.includes("*"));
  return wildcards !== 0 || !one.includes("*") ? wildcards : other.length - one.length;
}

function describeTargets(all: readonly string[]): Pick<ImportedRule, "upstream" | "model"> {
  const [only = ""] = all;
  const targets = all.map((target) => (target.includes("*") ? target.slice(0, target.indexOf("/")) : target));
  if (targets.length > 1) return { upstream: targets };
  const slash = only.indexOf("/");
  return only.includes("*")
    ? { upstream: only.slice(0, slash) }
    : { upstream: only.slice(0, slash), model: only.slice(slash + 1) };
}
