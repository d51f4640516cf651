import { dirname } from "node:path";
import { type Change, readText } from "../../agents/file-edits/changes.ts";
import { writeChanges } from "../../agents/file-edits/write-changes.ts";
import { accessKeychain } from "../../config/keychain.ts";
import { processEnvironment } from "../../config/paths.ts";
import { makeFolders } from "../../files/make-folders.ts";
import { openReceipts } from "../setup/install-target.ts";
import type { FoundUpstream, Situation } from "./situation.ts";

/** Returns the change that creates the configuration file, with keys named by the keychain. Only reads. */
export async function planConfiguration({ configuration, upstreams }: Situation): Promise<readonly Change[]> {
  const { path } = configuration;
  const before = await readText(path);
  const purpose = "the upstreams of the proxy";
  return [{ path, target: path, purpose, before, after: formatConfiguration(upstreams) }];
}

/** Returns the text of a configuration file with these upstreams. Pure. */
export function formatConfiguration(upstreams: readonly FoundUpstream[]): string {
  const entries = upstreams.map(({ name, vendor, dialect, baseUrl, variable }) => [
    name,
    {
      ...(vendor === null ? { dialect, base_url: baseUrl } : { vendor, dialect }),
      ...(variable === null ? {} : { api_key: { keychain: variable } }),
    },
  ]);
  return `${JSON.stringify({ proxy: { upstreams: Object.fromEntries(entries) } }, null, 2)}\n`;
}

/** Stores the keys of this shell in the keychain, then writes the configuration. Throws `keychain`. */
export async function keepKeys(situation: Situation, changes: readonly Change[]): Promise<void> {
  const variables = new Set(situation.upstreams.flatMap(({ variable }) => variable ?? []));
  for (const name of variables) {
    const secret = processEnvironment[name]?.trim() ?? "";
    await accessKeychain({ action: "store", name, secret });
  }
  await makeFolders(dirname(situation.configuration.path), 0o700);
  // A change without a backup writes no receipt: `uninstall` must not remove the configuration.
  await writeChanges(changes, openReceipts("configuration", "proxy"));
}
