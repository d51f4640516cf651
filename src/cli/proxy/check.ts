import { z } from "zod";
import { describeProxies } from "../../config/outbound-proxy.ts";
import { processEnvironment } from "../../config/paths.ts";
import { effectiveSettings } from "../../config/proxy/effective.ts";
import { proxySchema } from "../../config/proxy/schema.ts";
import { withoutUrlSecrets } from "../../config/proxy/secrets.ts";
import type { ProxyFlags } from "../../config/proxy/settings.ts";
import { reviewSchema } from "../../config/review/section.ts";
import { effectiveMode } from "../../proxy/auth/policy.ts";
import type { Output } from "../output.ts";
import { readProxyConfiguration } from "../proxy-configuration.ts";
import { table } from "../table.ts";
import { baseUrl, warnOfItself } from "./start/banner.ts";

export interface ProxyCheckFlags extends ProxyFlags {
  readonly json: boolean;
  readonly jsonSchema: boolean;
}

/**
 * Runs `sallyport proxy check`: prints the configuration in force and the source of each value, or, with
 * `--json-schema`, the JSON Schema of the configuration file. Resolves to 0. Throws `configuration` if the
 * configuration is invalid.
 */
export async function checkProxy(flags: ProxyCheckFlags, output: Output): Promise<number> {
  if (flags.jsonSchema) {
    await output.result(JSON.stringify(configurationJsonSchema(), null, 2));
    return 0;
  }
  const { loaded, config } = await readProxyConfiguration(processEnvironment, flags, false);
  const settings = effectiveSettings(loaded, processEnvironment);
  const upstreams = [...config.upstreams.values()].map(({ name, dialect, baseUrl, keys }) => ({
    name,
    dialect,
    base_url: dialect === "any" ? "built in" : withoutUrlSecrets(baseUrl),
    keys: keys.length,
    source: loaded.settings.upstreams?.[name] ? loaded.getSource(["upstreams", name]) : "found",
  }));
  const outbound = describeProxies(config.outboundProxies);
  if (flags.json) {
    const file = loaded.file?.path ?? null;
    await output.result(JSON.stringify({ file, settings, upstreams, outbound_proxy: outbound }, null, 2));
    return 0;
  }
  if (loaded.settings.store !== undefined)
    output.note('proxy.store is deprecated: write "database": "none" instead.');
  for (const warning of warnOfItself(config, baseUrl(config, config.port))) output.note(warning);
  const mode = effectiveMode(config.authMode, config.allowLanAccess);
  const where = loaded.file ? loaded.path : `${loaded.path} (not found)`;
  const lines = [
    `configuration: ${where}`,
    `listens on: ${config.host}, port ${config.port}; keys ${mode === "off" ? "not needed" : `needed (${mode})`}`,
    `outbound proxy: ${outbound.join("; ") || "none"}`,
    "",
    table(
      ["setting", "value", "source"],
      settings.map(({ key, value, source }) => [key, JSON.stringify(value), source]),
    ),
    "",
    table(
      ["upstream", "dialect", "base URL", "keys", "source"],
      upstreams.map((each) => [each.name, each.dialect, each.base_url, String(each.keys), each.source]),
    ),
  ];
  await output.result(lines.join("\n"));
  return 0;
}

/** Returns the JSON Schema of the whole configuration file, for editors. */
export function configurationJsonSchema(): object {
  const file = z.strictObject({
    $schema: z.string().exactOptional().describe("The path or URL of this schema, for editors."),
    review: reviewSchema.prefault({}).describe("Plan and code reviews."),
    proxy: proxySchema.prefault({}).describe("The proxy."),
  });
  return z.toJSONSchema(file, { io: "input" });
}
