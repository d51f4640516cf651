import type { ProxyConfig, UpstreamConfig } from "../../config/proxy/config.ts";
import type { ModelCatalog } from "./catalog.ts";

/** The facts about a finished call that determine its model's label in the metrics. */
export interface LabelledCall {
  readonly upstream: UpstreamConfig;
  /** The model's name at the upstream. */
  readonly model: string;
  /** The pattern of the rule that selected the upstream; undefined if no rule matched. */
  readonly rule: string | undefined;
  /** Whether the upstream responded without an error. */
  readonly isServed: boolean;
  readonly config: ProxyConfig;
  readonly catalog: ModelCatalog;
}

/** Labels models in the metrics. The number of labels is bounded, regardless of the names that clients send. */
export interface ModelLabels {
  getLabel(call: LabelledCall): string;
}

/** The label of all models that have no other label. */
const UNLISTED = "unlisted";
/** Maximum number of names per upstream that are labels only because the upstream served them. */
const MAX_SERVED = 8;

/**
 * Creates the labels. The label of a model is its own name if the configuration or its upstream's list contains that
 * name, or if the name is among the first 8 others that the upstream served. Otherwise, the label is the pattern of the
 * rule, or `unlisted` without a rule or with the rule `*`.
 */
export function createModelLabels(): ModelLabels {
  const named = new WeakMap<ProxyConfig, ReadonlySet<string>>();
  const served = new Map<string, Set<string>>();
  const isNamed = (config: ProxyConfig, upstream: string, model: string): boolean => {
    let known = named.get(config);
    if (known === undefined) {
      known = namedModels(config);
      named.set(config, known);
    }
    return known.has(model) || known.has(`${upstream}/${model}`);
  };
  const isServedName = ({ upstream, model, isServed, catalog }: LabelledCall): boolean => {
    const names = served.get(upstream.name) ?? new Set();
    if (names.has(model)) return true;
    if (!isServed) return false;
    if (names.size >= MAX_SERVED) {
      // Further names become labels only if the upstream's list contains them, so the list is needed now. The echo
      // upstream has no list to fetch.
      if (upstream.dialect !== "any") catalog.refresh(upstream);
      return false;
    }
    served.set(upstream.name, names.add(model));
    return true;
  };
  return {
    getLabel(call) {
      const { upstream, model, rule, config, catalog } = call;
      if (model === "") return "";
      const isKnown =
        isNamed(config, upstream.name, model) || catalog.lists(upstream, model) || isServedName(call);
      if (isKnown) return model;
      return rule === undefined || rule === "*" ? UNLISTED : rule;
    },
  };
}

function namedModels({ rules, upstreams }: ProxyConfig): Set<string> {
  const names = new Set<string>();
  for (const { match, targets } of rules) {
    if (!/[*?]/.test(match)) names.add(match);
    for (const { model } of targets) if (model !== undefined) names.add(model);
  }
  for (const { name, models } of upstreams.values())
    for (const model of models ?? []) names.add(`${name}/${model}`);
  return names;
}
