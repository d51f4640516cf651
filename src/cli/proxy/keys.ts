import { dataDirectory, processEnvironment } from "../../config/paths.ts";
import type { ProxyConfig } from "../../config/proxy/config.ts";
import { generatedKeyFile, newKey } from "../../config/proxy/generated-key.ts";
import { sha256 } from "../../config/proxy/resolve-keys.ts";
import type { ProxyFlags } from "../../config/proxy/settings.ts";
import { AppError } from "../../errors.ts";
import { effectiveMode } from "../../proxy/auth/policy.ts";
import type { Output } from "../output.ts";
import { readProxyConfiguration } from "../proxy-configuration.ts";
import { table } from "../table.ts";

export interface ProxyKeysFlags extends ProxyFlags {
  /** The name of the key to generate. */
  readonly new?: string;
  readonly json?: boolean;
}

/**
 * Runs `sallyport proxy keys`: lists the keys of the configuration and the generated key by name and fingerprint. With
 * `--new NAME`, generates a key: prints the key on stdout, and its entry for `proxy.api_keys`, which contains only the
 * name and the digest, on stderr. With `--new` and `--json`, prints name, key and digest on stdout.
 */
export async function showProxyKeys(flags: ProxyKeysFlags, output: Output): Promise<number> {
  if (flags.new !== undefined) {
    const name = flags.new.trim();
    if (name === "") throw new AppError("usage", "--new needs a name for the key, such as laptop");
    const key = newKey();
    const digest = sha256(key).toString("hex");
    const entry = JSON.stringify({ name, sha256: digest });
    if (flags.json) {
      await output.result(JSON.stringify({ name, key, sha256: digest }, null, 2));
      return 0;
    }
    output.note(`Add this to proxy.api_keys; the key itself is not stored anywhere:\n  ${entry}`);
    await output.result(key);
    return 0;
  }
  const { config } = await readProxyConfiguration(processEnvironment, flags, false);
  const kept = generatedKeyFile(dataDirectory(processEnvironment));
  if (flags.json) {
    const keys = config.keys.map(({ name, sha256: digest }) => ({
      name,
      sha256: digest.toString("hex"),
      kept_in: name === "generated" ? kept : "configuration",
    }));
    await output.result(JSON.stringify(keys, null, 2));
    return 0;
  }
  const rows = config.keys.map(({ name, sha256: digest }) => [
    name,
    `sha256 ${digest.toString("hex").slice(0, 12)}…`,
    name === "generated" ? kept : "configuration",
  ]);
  await output.result(rows.length === 0 ? noKeys(config) : table(["name", "fingerprint", "kept in"], rows));
  return 0;
}

function noKeys({ authMode, allowLanAccess, database }: ProxyConfig): string {
  const isNeeded = effectiveMode(authMode, allowLanAccess) !== "off";
  if (isNeeded && database.engine === "postgres")
    return "No keys in the configuration: with PostgreSQL, the proxy does not create one. To create one: sallyport proxy keys create NAME";
  const why = isNeeded ? "the proxy creates one when it starts" : "the configuration does not require one";
  return `No keys: ${why}. To create one: sallyport proxy keys --new NAME`;
}
