import { capabilityOverrideSchema } from "../../config/proxy/capability-override.ts";
import { AppError } from "../../errors.ts";
import { getUpstreamProfile } from "../dialects/index.ts";
import type { Capabilities } from "../exchange/capabilities.ts";
import { defined } from "../exchange/defined.ts";
import type { UpstreamDialect } from "../exchange/parts.ts";
import { fits } from "../glob.ts";
import { type Family, families } from "./families.ts";
import { vendorHosts } from "./vendor-hosts.ts";

/** Overrides of one upstream, by model pattern; every fitting one applies, in order. */
export type CapabilityOverrides = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * What a model of an upstream accepts: the dialect's defaults, then what is known of its family and of the vendor at
 * `host`, then the configuration. Throws `AppError` (configuration) where an override is not readable.
 */
export function capabilitiesFor(
  dialect: UpstreamDialect,
  model: string,
  overrides: CapabilityOverrides = none,
  host = "",
): Capabilities {
  const key = `${dialect} ${host} ${model}`;
  const known = settled.get(overrides);
  const found = known?.get(key);
  if (found !== undefined) return found;
  const capabilities = settle(dialect, model, overrides, host);
  if (known !== undefined && known.size < mostSettled) known.set(key, capabilities);
  else settled.set(overrides, new Map([[key, capabilities]]));
  return capabilities;
}

const none: CapabilityOverrides = {};
/** What was found for the overrides of one configuration: a proxy is asked for the same few models again and again. */
const settled = new WeakMap<CapabilityOverrides, Map<string, Capabilities>>();
/** Clients name the models, so the list must not grow without end. */
const mostSettled = 1_000;

function settle(
  dialect: UpstreamDialect,
  model: string,
  overrides: CapabilityOverrides,
  host: string,
): Capabilities {
  const profile = getUpstreamProfile(dialect);
  const name = model.toLowerCase().replace(/^.*\//, "");
  const known = [...families, ...vendorHosts].filter(
    (family) =>
      family.dialects.includes(dialect) && family.model.test(name) && (family.host?.test(host) ?? true),
  );
  const configured = Object.entries(overrides)
    .filter(([pattern]) => fits(pattern, model))
    .map(([pattern, override]) => readOverride(pattern, override));
  return Object.assign(
    {},
    profile.capabilities,
    ...known.map((family) => family.capabilities),
    profile.hasGateways && model.includes("/") ? routed(known) : {},
    ...configured,
  );
}

/**
 * Models named `vendor/model` stand behind a gateway (OpenRouter, Vercel), which wants its `reasoning_details` back
 * whatever the vendor itself takes.
 */
function routed(known: readonly Family[]): Partial<Capabilities> {
  const members = known.findLast((family) => family.capabilities.optionalMembers)?.capabilities
    .optionalMembers;
  return members === undefined || members.includes("reasoning_details")
    ? {}
    : { optionalMembers: [...members, "reasoning_details"] };
}

function readOverride(pattern: string, override: unknown): Partial<Capabilities> {
  const result = capabilityOverrideSchema.safeParse(override);
  if (!result.success) {
    const issue = result.error.issues[0];
    const member = issue?.path.join(".") ?? "";
    throw new AppError(
      "configuration",
      `capabilities[${JSON.stringify(pattern)}].${member}: ${issue?.message ?? ""}`,
    );
  }
  const { toolNamePattern, ...members } = result.data;
  return defined({
    ...members,
    toolNamePattern: toolNamePattern === undefined ? undefined : new RegExp(toolNamePattern),
  });
}
