import { capabilityOverrideSchema } from "../../config/proxy/capability-override.ts";
import type { ModelData } from "../../config/proxy/model-data.ts";
import { findVendor } from "../../config/proxy/vendors.ts";
import { AppError } from "../../errors.ts";
import { getUpstreamProfile } from "../dialects/index.ts";
import type { Capabilities } from "../exchange/capabilities.ts";
import { defined } from "../exchange/defined.ts";
import type { UpstreamDialect } from "../exchange/parts.ts";
import { matchesGlob } from "../glob.ts";
import { type Family, families } from "./families.ts";
import { vendorCapabilities } from "./vendor-capabilities.ts";

/** The capability overrides of one upstream, by model pattern. All patterns that match a model apply, in order. */
export type CapabilityOverrides = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Facts, as far as known, about the upstream that serves a model, such as the host of its base URL. */
export interface ModelHost {
  readonly vendor?: string | undefined;
  readonly host?: string | undefined;
  /** The upstream's API version, if the configuration sets one. */
  readonly version?: string | undefined;
  /** The entry of the model data for this model. */
  readonly data?: ModelData | undefined;
}

/**
 * Returns the capabilities of an upstream's model: the dialect's defaults, overridden by the model data, by the model's
 * family, by the gateway that serves it (`routed`), by the vendor, by the API version and by the configuration, in this
 * order. Throws `configuration` if an override is invalid.
 */
export function capabilitiesFor(
  dialect: UpstreamDialect,
  model: string,
  overrides: CapabilityOverrides = none,
  at: ModelHost = {},
): Capabilities {
  const { vendor = "", host = "", version = "", data } = at;
  const key = `${dialect} ${vendor} ${host} ${version} ${model}`;
  const known = settled.get(overrides);
  const found = known?.get(key);
  // Model data can be loaded after the first call, and data from `model_data.url` is replaced once a day.
  if (found !== undefined && found.data === data) return found.capabilities;
  const capabilities = settle(dialect, model, overrides, at);
  if (known !== undefined && known.size < MAX_CACHED) known.set(key, { data, capabilities });
  else settled.set(overrides, new Map([[key, { data, capabilities }]]));
  return capabilities;
}

interface Settled {
  readonly data: ModelData | undefined;
  readonly capabilities: Capabilities;
}

const none: CapabilityOverrides = {};
/** The results for each set of overrides. They are cached because most calls use the same few models. */
const settled = new WeakMap<CapabilityOverrides, Map<string, Settled>>();
/**
 * Maximum number of cached results for one set of overrides. Clients choose the names, so the cache must be bounded.
 */
const MAX_CACHED = 1_000;

function settle(
  dialect: UpstreamDialect,
  model: string,
  overrides: CapabilityOverrides,
  at: ModelHost,
): Capabilities {
  const profile = getUpstreamProfile(dialect);
  const name = familyName(model);
  const fitting = (rows: readonly Family[]) =>
    rows.filter((row) => row.dialects.includes(dialect) && row.model.test(name) && isAt(row, at));
  const known = fitting(families);
  const configured = Object.entries(overrides)
    .filter(([pattern]) => matchesGlob(pattern, model))
    .map(([pattern, override]) => readOverride(pattern, override));
  return Object.assign(
    {},
    profile.capabilities,
    at.data === undefined ? {} : fromData(at.data),
    ...known.map((family) => family.capabilities),
    profile.hasGateways && model.includes("/") ? routed(known) : {},
    ...fitting(vendorCapabilities).map((row) => row.capabilities),
    at.version === undefined ? {} : profile.limitsOf?.(at.version),
    ...configured,
  );
}

function fromData({ contextWindow, maxOutputTokens, takesImages }: ModelData): Partial<Capabilities> {
  return defined({ contextWindow, maxOutputTokens, images: takesImages ? undefined : ("none" as const) });
}

/**
 * Returns the name that is compared with families: in lower case, without `vendor/` and Bedrock's `us.anthropic.`, and
 * with `-` instead of the `@` of Vertex AI.
 */
function familyName(model: string): string {
  const name = model.toLowerCase().replace(/^.*\//, "");
  return name.replace(/^(?:[a-z-]+\.)?anthropic\./, "").replace("@", "-");
}

function isAt(row: Family, { vendor: vendorName, host = "" }: ModelHost): boolean {
  if (row.vendor === undefined) return row.host?.test(host) ?? true;
  return row.vendor === vendorName || (findVendor(row.vendor)?.host?.test(host) ?? false);
}

/**
 * Returns the capability that is added for models named `vendor/model`. A gateway (OpenRouter, Vercel) serves them and
 * requires the `reasoning_details` of earlier turns, regardless of what the vendor accepts.
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
    // Models with thinking levels are those since Gemini 3, also under a name such as `gemini-flash-latest`.
    combinesTools: members.reasoning === "level" ? true : undefined,
    ...members,
    toolNamePattern: toolNamePattern === undefined ? undefined : new RegExp(toolNamePattern),
  });
}
