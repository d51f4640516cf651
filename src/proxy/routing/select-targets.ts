import type { ModelRule, RuleCondition, UpstreamConfig } from "../../config/proxy/config.ts";
import { getProfile } from "../dialects/index.ts";
import type { Dialect } from "../exchange/parts.ts";
import { fits } from "../glob.ts";
import type { Catalogue } from "../models/catalog.ts";
import { inSessionOrder } from "./session-affinity.ts";

/** An upstream, and the model's name there. */
export interface Target {
  readonly upstream: UpstreamConfig;
  readonly model: string;
}

/** At least one. */
export type Targets = readonly [Target, ...Target[]];

/** The targets of a call, in the order in which they are tried, and why. */
export interface Selection {
  readonly targets: Targets;
  /** The pattern of the rule that decided, if one did. */
  readonly rule: string | undefined;
}

/** What rules may ask about a call; computed only when a rule asks. */
export interface CallFacts {
  requestClass(): string | undefined;
  /** The client's session, where it names one. */
  session(): string | undefined;
  tokens(): number;
  hasImage(): boolean;
  hasTools(): boolean;
  header(name: string): string | undefined;
}

export interface Selector {
  /**
   * In this order: the first rule that fits; `upstream/model`; upstreams that list the id, one of the caller's dialect
   * first; the first upstream of the caller's dialect. Undefined where nothing fits. `model` is undefined for calls
   * that name none, `dialect` for callers that have none; `facts` is asked for only where a rule has conditions.
   */
  select(
    model: string | undefined,
    dialect: Dialect | undefined,
    facts: () => CallFacts,
  ): Selection | undefined | Promise<Selection | undefined>;
}

/** For one configuration; `random` draws among weighted upstreams. */
export function createSelector(
  upstreams: ReadonlyMap<string, UpstreamConfig>,
  rules: readonly ModelRule[],
  catalogue: Catalogue,
  random: () => number = Math.random,
): Selector {
  const all = [...upstreams.values()];
  const [single] = all;
  const prepared = rules.map((rule) => ({
    ...rule,
    targets: rule.places.flatMap((target) => {
      const upstream = upstreams.get(target.upstream);
      return upstream === undefined ? [] : [{ upstream, model: target.model }];
    }),
    headers: Object.entries(rule.when?.header ?? {}),
  }));
  const ofDialect = (dialect: Dialect | undefined) => all.find((upstream) => speaks(upstream, dialect));

  const byList = async (model: string, dialect: Dialect | undefined): Promise<Selection | undefined> => {
    const serving = await catalogue.serving(model);
    const chosen = serving.find((upstream) => speaks(upstream, dialect)) ?? serving[0] ?? ofDialect(dialect);
    return chosen && only(chosen, model);
  };
  return {
    select(model, dialect, facts) {
      if (model === undefined) {
        const chosen = ofDialect(dialect);
        return chosen && only(chosen, "");
      }
      for (const rule of prepared) {
        if (!fits(rule.match, model) || (rule.when && !meets(rule.when, rule.headers, facts()))) continue;
        const [first, ...others] = inOrder(rule.targets, facts, random).map((target) =>
          withModel(target, model),
        );
        if (first) return { targets: [first, ...others], rule: rule.match };
      }
      const slash = model.indexOf("/");
      const there = model.slice(slash + 1);
      const named = slash > 0 && there !== "" ? upstreams.get(model.slice(0, slash)) : undefined;
      if (named) return only(named, there);
      // With one upstream, and that of the caller's dialect, its list cannot change anything.
      if (single && all.length === 1 && dialect !== undefined && speaks(single, dialect))
        return only(single, model);
      return byList(model, dialect);
    },
  };
}

function only(upstream: UpstreamConfig, model: string): Selection {
  return { targets: [{ upstream, model }], rule: undefined };
}

/** A rule's target, whose model may be the client's. */
interface OpenTarget {
  readonly upstream: UpstreamConfig;
  readonly model: string | undefined;
}

function withModel({ upstream, model }: OpenTarget, requested: string): Target {
  return { upstream, model: model ?? requested };
}

/** Whether an upstream takes a client's dialect as it is. */
function speaks(upstream: UpstreamConfig, dialect: Dialect | undefined): boolean {
  if (upstream.dialect === "any" || dialect === undefined) return upstream.dialect === "any";
  return upstream.dialect === getProfile(dialect).nativeUpstream;
}

/**
 * As the rule names them, or, where weights are given, a first one drawn by weight: for each session once, so that it
 * finds its prompts in that vendor's cache.
 */
function inOrder(
  targets: readonly OpenTarget[],
  facts: () => CallFacts,
  random: () => number,
): readonly OpenTarget[] {
  if (targets.length < 2 || targets.every(({ upstream }) => upstream.weight === undefined)) return targets;
  const session = facts().session();
  if (session !== undefined)
    return inSessionOrder(targets, session, ({ upstream }) => upstream.name, weightOf);
  let rest = random() * targets.reduce((sum, target) => sum + weightOf(target), 0);
  const first = targets.find((target) => {
    rest -= weightOf(target);
    return rest < 0;
  });
  return first ? [first, ...targets.filter((target) => target !== first)] : targets;
}

function weightOf({ upstream }: OpenTarget): number {
  return upstream.weight ?? 1;
}

function meets(
  when: RuleCondition,
  headers: readonly (readonly [name: string, pattern: string])[],
  facts: CallFacts,
): boolean {
  if (when.requestClass !== undefined && facts.requestClass() !== when.requestClass) return false;
  for (const [name, pattern] of headers) {
    const value = facts.header(name);
    if (value === undefined || !fits(pattern, value)) return false;
  }
  if (when.hasTools !== undefined && facts.hasTools() !== when.hasTools) return false;
  if (when.hasImage !== undefined && facts.hasImage() !== when.hasImage) return false;
  return when.minTokens === undefined || facts.tokens() >= when.minTokens;
}
