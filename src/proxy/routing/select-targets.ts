import type { ModelPrice, ModelRule, RuleCondition, UpstreamConfig } from "../../config/proxy/config.ts";
import type { FallbackReason, Strategy } from "../../config/proxy/limits.ts";
import { getProfile } from "../dialects/index.ts";
import type { Dialect } from "../exchange/parts.ts";
import { matchesGlob } from "../glob.ts";
import { capabilitiesFor } from "../models/capabilities-for.ts";
import type { ModelCatalog } from "../models/catalog.ts";
import { findModelData, findPrice } from "../usage/cost.ts";
import { inSessionOrder } from "./session-affinity.ts";
import { UpstreamStats } from "./upstream-stats.ts";

/** An upstream and the model's name there. */
export interface Target {
  readonly upstream: UpstreamConfig;
  readonly model: string;
  /** The model's context window in tokens, if it is known and the rule falls back to larger windows. */
  readonly contextWindow?: number | undefined;
}

/** A list of at least one target. */
export type Targets = readonly [Target, ...Target[]];

/** The targets of a call, in the order in which they are tried if none is in cooldown, and the rule that chose them. */
export interface Selection {
  readonly targets: Targets;
  /** The pattern of the matching rule, if any. */
  readonly rule: string | undefined;
  /** The failures after which the next target is tried; undefined stands for errors and rate limits. */
  readonly on?: readonly FallbackReason[] | undefined;
}

/** The facts about a call that rules can test; computed only when a rule needs them. */
export interface CallFacts {
  requestClass(): string | undefined;
  /** Returns the client's session id; undefined if the client sends none. */
  session(): string | undefined;
  tokens(): number;
  hasImage(): boolean;
  hasTools(): boolean;
  header(name: string): string | undefined;
}

export interface Selector {
  /**
   * Returns the targets of a call: those of the first matching rule; else the upstream in `upstream/model`; else an
   * upstream that lists the model, preferably of the client's dialect; else the first upstream of that dialect. Returns
   * undefined if none of these applies. If `model` is undefined, the call names no model, and the first upstream of the
   * dialect is chosen, regardless of the rules; `dialect` is undefined if the client has none. `facts` is called only
   * if a rule that matches the model has conditions, or chooses by weight.
   */
  select(
    model: string | undefined,
    dialect: Dialect | undefined,
    facts: () => CallFacts,
  ): Selection | undefined | Promise<Selection | undefined>;
}

/**
 * Creates the selector of one configuration. `random` returns a number in [0, 1), which the selector uses to choose
 * among weighted targets.
 */
export function createSelector(
  upstreams: ReadonlyMap<string, UpstreamConfig>,
  rules: readonly ModelRule[],
  catalog: ModelCatalog,
  random: () => number = Math.random,
  stats: UpstreamStats = new UpstreamStats(),
): Selector {
  const all = [...upstreams.values()];
  const [single] = all;
  const prepared = rules.map((rule) => ({
    ...rule,
    targets: rule.targets.flatMap((target) => {
      const upstream = upstreams.get(target.upstream);
      return upstream === undefined ? [] : [{ ...target, upstream }];
    }),
    headers: Object.entries(rule.when?.header ?? {}),
  }));
  const ofDialect = (dialect: Dialect | undefined) => all.find((upstream) => isNative(upstream, dialect));

  const byList = async (model: string, dialect: Dialect | undefined): Promise<Selection | undefined> => {
    const serving = await catalog.serving(model);
    const chosen =
      serving.find((upstream) => isNative(upstream, dialect)) ?? serving[0] ?? ofDialect(dialect);
    return chosen && selectOnly(chosen, model);
  };
  return {
    select(model, dialect, facts) {
      if (model === undefined) {
        const chosen = ofDialect(dialect);
        return chosen && selectOnly(chosen, "");
      }
      for (const rule of prepared) {
        if (
          !matchesGlob(rule.match, model) ||
          (rule.when && !matchesCondition(rule.when, rule.headers, facts()))
        )
          continue;
        const hasWindows = rule.on?.includes("context_window") === true;
        const [first, ...others] = inOrder(rule, model, facts, random, stats).map((target) =>
          withModel(target, model, hasWindows),
        );
        if (first) return { targets: [first, ...others], rule: rule.match, on: rule.on };
      }
      const slash = model.indexOf("/");
      const there = model.slice(slash + 1);
      const named = slash > 0 && there !== "" ? upstreams.get(model.slice(0, slash)) : undefined;
      if (named) return selectOnly(named, there);
      // A single upstream of the client's dialect is chosen even if it does not list the model.
      if (single && all.length === 1 && dialect !== undefined && isNative(single, dialect))
        return selectOnly(single, model);
      return byList(model, dialect);
    },
  };
}

function selectOnly(upstream: UpstreamConfig, model: string): Selection {
  return { targets: [{ upstream, model }], rule: undefined };
}

/** A target of a rule. If it has no model, the client's model is used. */
interface OpenTarget {
  readonly upstream: UpstreamConfig;
  readonly model: string | undefined;
  readonly weight?: number | undefined;
}

function withModel({ upstream, model }: OpenTarget, requested: string, hasWindows: boolean): Target {
  const name = model ?? requested;
  if (!hasWindows || upstream.dialect === "any") return { upstream, model: name };
  const host = new URL(upstream.baseUrl).hostname;
  const { contextWindow } = capabilitiesFor(upstream.dialect, name, upstream.capabilities, {
    vendor: upstream.vendor,
    host,
    data: findModelData(upstream, name),
  });
  return { upstream, model: name, contextWindow };
}

/** Returns whether an upstream accepts a client's dialect without translation. */
function isNative(upstream: UpstreamConfig, dialect: Dialect | undefined): boolean {
  if (upstream.dialect === "any" || dialect === undefined) return upstream.dialect === "any";
  return upstream.dialect === getProfile(dialect).nativeUpstream;
}

/**
 * Returns the targets in the order of the rule's strategy. With the strategy `weighted`, the default if a target has a
 * weight, the first target is drawn at random by weight, but a session always has the same order, so that its prompt
 * cache is used.
 */
function inOrder(
  {
    targets,
    strategy,
  }: { readonly targets: readonly OpenTarget[]; readonly strategy?: Strategy | undefined },
  requested: string,
  facts: () => CallFacts,
  random: () => number,
  stats: UpstreamStats,
): readonly OpenTarget[] {
  if (targets.length < 2 || strategy === "order") return targets;
  switch (strategy) {
    case "least-busy":
      return sortedBy(targets, ({ upstream }) => stats.inFlight(upstream.name));
    case "fastest":
      return sortedBy(targets, ({ upstream }) => stats.firstByteMs(upstream.name));
    case "cheapest":
      return sortedBy(targets, ({ upstream, model }) =>
        blendedPrice(findPrice(upstream, model ?? requested)),
      );
  }
  if (strategy === undefined && targets.every((target) => findWeight(target) === undefined)) return targets;
  const session = facts().session();
  if (session !== undefined) return inSessionOrder(targets, session, nameOf, getWeight);
  let rest = random() * targets.reduce((sum, target) => sum + getWeight(target), 0);
  const first = targets.find((target) => {
    rest -= getWeight(target);
    return rest < 0;
  });
  return first ? [first, ...targets.filter((target) => target !== first)] : targets;
}

/** Returns the items sorted by a number, smallest first. Items with equal numbers keep their order. */
function sortedBy<Item>(items: readonly Item[], toNumber: (item: Item) => number): Item[] {
  return items.toSorted((one, other) => toNumber(one) - toNumber(other));
}

/**
 * Returns the price of a typical call, with three input tokens for each output token; `Number.MAX_VALUE` if it is
 * unknown, so that such a target is sorted last.
 */
function blendedPrice(price: ModelPrice | undefined): number {
  return price === undefined ? Number.MAX_VALUE : 3 * price.input + price.output;
}

/**
 * Returns the name of a target: its upstream and its model, because a rule may list an upstream with several models.
 */
function nameOf({ upstream, model }: OpenTarget): string {
  return model === undefined ? upstream.name : `${upstream.name}/${model}`;
}

function findWeight({ upstream, weight }: OpenTarget): number | undefined {
  return weight ?? upstream.weight;
}

function getWeight(target: OpenTarget): number {
  return findWeight(target) ?? 1;
}

function matchesCondition(
  when: RuleCondition,
  headers: readonly (readonly [name: string, pattern: string])[],
  facts: CallFacts,
): boolean {
  if (when.requestClass !== undefined && facts.requestClass() !== when.requestClass) return false;
  for (const [name, pattern] of headers) {
    const value = facts.header(name);
    if (value === undefined || !matchesGlob(pattern, value)) return false;
  }
  if (when.hasTools !== undefined && facts.hasTools() !== when.hasTools) return false;
  if (when.hasImage !== undefined && facts.hasImage() !== when.hasImage) return false;
  return when.minTokens === undefined || facts.tokens() >= when.minTokens;
}
