import { z } from "zod";
import { getUpstreamProfile, upstreamDialects } from "../../proxy/dialects/index.ts";
import { capabilityOverrideSchema } from "./capability-override.ts";
import { upstreamLimitsSchema } from "./limits.ts";
import { platformSettings } from "./platforms.ts";
import { headerName, headersSchema, httpUrl, keySecret } from "./value-schemas.ts";
import { vendorNames } from "./vendors.ts";

const text = z.string().min(1);
const seconds = z.number().min(0);

const ownTimeouts = z.strictObject({
  connect: seconds.optional(),
  first_byte: seconds.optional(),
  idle: seconds.optional(),
});

const dollars = z.number().min(0);
const tokenPrices = {
  input: dollars.describe("Price of uncached input tokens."),
  cache_read: dollars.optional().describe("Price of tokens read from a cache; default: as input."),
  cache_write: dollars.optional().describe("Price of tokens written to a cache; default: as input."),
  cache_write_hour: dollars
    .optional()
    .describe("Price of tokens written to a cache with a lifetime of one hour; default: as cache_write."),
  output: dollars,
};
const modelPrice = z.strictObject({
  ...tokenPrices,
  long_prompt: z
    .strictObject({ above: z.number().int().positive(), ...tokenPrices })
    .optional()
    .describe("Prices of the whole call if its input exceeds `above` tokens."),
});

/** A member of `upstreams`. */
export const upstreamSchema = z
  .strictObject({
    vendor: z
      .enum(vendorNames)
      .optional()
      .describe("A known vendor or model server; gives dialect, base_url and the key's variable."),
    dialect: z.enum(upstreamDialects).optional().describe("Required without `vendor`."),
    base_url: httpUrl
      .optional()
      .describe(
        "Required without `vendor`. A missing version segment (/v1, /v1beta) is added, unless the URL ends in / or in an operation.",
      ),
    ...platformSettings,
    version: z.boolean().default(true).describe("`false`: no version segment is added to `base_url`."),
    api_key: keySecret.optional(),
    api_key_env: text.optional().describe("The environment variable with the key."),
    api_keys: z
      .array(keySecret)
      .min(1)
      .optional()
      .describe(
        "A session uses one key, other calls use the keys in turn; a rejected or rate-limited key is tried last.",
      ),
    credentials: z
      .enum(["config", "client"])
      .default("config")
      .describe("`client`: forwards the client's own key instead, from clients of the same dialect."),
    headers: headersSchema.default({}).describe("Headers added to every call."),
    forward_headers: z
      .array(headerName)
      .default([])
      .describe(
        "Client headers to forward in addition to known ones, if the proxy requires keys or listens beyond loopback.",
      ),
    models: z.array(text).optional().describe("Models of the upstream; default: its own list."),
    capabilities: z
      .record(text, capabilityOverrideSchema)
      .default({})
      .describe("Capabilities by model pattern."),
    prices: z
      .record(text, modelPrice)
      .default({})
      .describe("US dollars per million tokens by model pattern, instead of list prices."),
    timeouts: ownTimeouts.default({}).describe("Override the proxy's timeouts."),
    websocket: z
      .boolean()
      .default(false)
      .describe(
        "Stream responses over WebSockets, or over HTTP if that fails; only for the dialect responses.",
      ),
    pass_through: z
      .boolean()
      .default(false)
      .describe("Pass on paths that the proxy does not know, from clients of the upstream's vendor."),
    weight: z
      .number()
      .positive()
      .optional()
      .describe(
        "Share of sessions and calls if a rule names several upstreams; if none has a weight, they are tried in order.",
      ),
    limits: upstreamLimitsSchema
      .optional()
      .describe("A full upstream is passed over; without another target, the call waits or is rejected."),
  })
  .refine((value) => [value.api_key, value.api_key_env, value.api_keys].filter(Boolean).length <= 1, {
    error: "set only one of api_key, api_key_env and api_keys",
  })
  .superRefine(({ vendor, dialect, base_url, websocket }, context) => {
    if (websocket && dialect !== undefined && !getUpstreamProfile(dialect).hasWebSocketMode)
      context.addIssue({ code: "custom", path: ["websocket"], message: "needs the dialect responses" });
    if (vendor !== undefined) return;
    for (const [name, value] of [
      ["dialect", dialect],
      ["base_url", base_url],
    ] as const)
      if (value === undefined) context.addIssue({ code: "custom", path: [name], message: "is missing" });
  });

export type UpstreamSettings = z.infer<typeof upstreamSchema>;
export type PriceSettings = z.infer<typeof modelPrice>;
