import type { ProxyConfig, UpstreamConfig } from "../../config/proxy/config.ts";
import type { Catalogue } from "./catalog.ts";

/** A call that has ended, as much as decides on its model's name in the metrics. */
export interface LabelledCall {
  readonly upstream: UpstreamConfig;
  /** The model's name there. */
  readonly model: string;
  /** The pattern of the rule that chose the upstream. */
  readonly rule: string | undefined;
  /** Whether the upstream has answered without an error. */
  readonly isServed: boolean;
  readonly config: ProxyConfig;
  readonly catalogue: Catalogue;
}

/** Names models in the metrics: series must not grow with what clients write. */
export interface ModelLabels {
  labelOf(call: LabelledCall): string;
}

/** What a model is called that nobody knows. */
const UNLISTED = "unlisted";
/** Names that an upstream has served count as known up to this many; from then on its own list decides. */
const MAX_SERVED = 8;

/**
 * Returns labels: a model's own name where the configuration or its upstream's list knows it, or where the upstream has
 * served it and few others; else the pattern of its rule, else `unlisted`.
 */
export function createModelLabels(): ModelLabels {
  const named = new WeakMap<ProxyConfig, ReadonlySet<string>>();
  const served = new Map<string, Set<string>>();
  const isNamed = (config: ProxyConfig, upstream: string, model: string): boolean => {
    const known = named.get(config) ?? namedModels(config);
    named.set(config, known);
    return known.has(model) || known.has(`${upstream}/${model}`);
  };
  const isServedName = ({ upstream, model, isServed, catalogue }: LabelledCall): boolean => {
    const names = served.get(upstream.name) ?? new Set();
    if (names.has(model)) return true;
    if (!isServed) return false;
    if (names.size >= MAX_SERVED) {
      // Its list decides on all later names, once it is there.
      catalogue.refresh(upstream);
      return false;
    }
    served.set(upstream.name, names.add(model));
    return true;
  };
  return {
    labelOf(call) {
      const { upstream, model, rule, config, catalogue } = call;
      if (model === "") return "";
      const isKnown =
        upstream.dialect === "any" ||
        isNamed(config, upstream.name, model) ||
        catalogue.lists(upstream, model) ||
        isServedName(call);
      if (isKnown) return model;
      return rule === undefined || rule === "*" ? UNLISTED : rule;
    },
  };
}

/** Every model that the configuration spells out. */
function namedModels({ rules, upstreams }: ProxyConfig): Set<string> {
  const names = new Set<string>();
  for (const { match, places } of rules) {
    if (!/[*?]/.test(match)) names.add(match);
    for (const { model } of places) if (model !== undefined) names.add(model);
  }
  for (const { name, models } of upstreams.values())
    for (const model of models ?? []) names.add(`${name}/${model}`);
  return names;
}
