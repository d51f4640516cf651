import type { ModelRule, RuleCondition, RuleTarget } from "./config.ts";
import type { Refuse } from "./resolve.ts";
import type { ProxySettings } from "./schema.ts";

/** Returns the rules of `models`. Rejects a rule that names an unknown upstream. */
export function resolveRules(
  settings: ProxySettings,
  known: ReadonlySet<string>,
  refuse: Refuse,
): ModelRule[] {
  return settings.models.map((rule, index) => {
    const entries = typeof rule.upstream === "string" ? [rule.upstream] : rule.upstream;
    const targets = entries.map((entry) =>
      typeof entry === "string"
        ? parseTarget(entry, rule.model)
        : { ...parseTarget(entry.upstream, rule.model), weight: entry.weight },
    );
    for (const { upstream } of targets)
      if (!known.has(upstream)) refuse(["models", index, "upstream"], `there is no upstream "${upstream}"`);
    return { match: rule.match, targets, strategy: rule.strategy, on: rule.on, when: toCondition(rule.when) };
  });
}

/** Parses `NAME`, or `NAME/model` if the upstream has another name for the model than the rule's other upstreams. */
function parseTarget(named: string, model: string | undefined): RuleTarget {
  const slash = named.indexOf("/");
  return slash < 0
    ? { upstream: named, model }
    : { upstream: named.slice(0, slash), model: named.slice(slash + 1) || model };
}

function toCondition(when: ProxySettings["models"][number]["when"]): RuleCondition | undefined {
  if (!when) return undefined;
  return {
    requestClass: when.request_class,
    minTokens: when.min_tokens,
    hasImage: when.has_image,
    hasTools: when.has_tools,
    header: when.header && toLowerNames(when.header),
  };
}

function toLowerNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
