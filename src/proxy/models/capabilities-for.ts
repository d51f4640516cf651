import { capabilityOverrideSchema } from "../../config/proxy/capability-override.ts";
import { AppError } from "../../errors.ts";
import { getUpstreamProfile } from "../dialects/index.ts";
import type { Capabilities } from "../exchange/capabilities.ts";
import { defined } from "../exchange/defined.ts";
import type { UpstreamDialect } from "../exchange/parts.ts";
import { matchesGlob } from "../glob.ts";
import { type Family, families } from "./families.ts";
import { vendorHosts } from "./vendor-hosts.ts";

/** Capability overrides of one upstream by model pattern; all patterns that match apply, in order. */
export type CapabilityOverrides = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Returns the capabilities of an upstream's model: the dialect's defaults, overridden by those of its family, of the
 * vendor at `host` and of the configuration. Throws `AppError` (configuration) if an override is invalid.
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
  if (known !== undefined && known.size < MAX_CACHED) known.set(key, capabilities);
  else settled.set(overrides, new Map([[key, capabilities]]));
  return capabilities;
}

const none: CapabilityOverrides = {};
/** Cached capabilities by overrides: calls use the same few models again and again. */
const settled = new WeakMap<CapabilityOverrides, Map<string, Capabilities>>();
/** Clients choose the names, so the cache is bounded. */
const MAX_CACHED = 1_000;

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
    .filter(([pattern]) => matchesGlob(pattern, model))
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
 * Returns the additional member of models named `vendor/model`. They are served by a gateway (OpenRouter, Vercel)
 * that requires `reasoning_details` back, whatever the vendor accepts.
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
