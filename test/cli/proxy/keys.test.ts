import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { showProxyKeys } from "../../../src/cli/proxy/keys.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

afterEach(() => vi.unstubAllEnvs());

/** Returns the output of `proxy keys` with these settings. */
async function printKeys(settings: object): Promise<string | undefined> {
  const folder = await temporaryFolder();
  const config = join(folder, "config.json");
  await writeFile(config, JSON.stringify({ proxy: { upstreams: {}, ...settings } }));
  vi.stubEnv("SALLYPORT_HOME", join(folder, "data"));
  const results: string[] = [];
  const result = async (text: string) => results.push(text) > 0;
  await showProxyKeys({ config }, { note: () => {}, result, lostResult: false, interactive: false });
  return results[0];
}

describe("sallyport proxy keys without a key in the configuration", () => {
  it.each([
    [{}, "No keys: the configuration does not require one. To create one: sallyport proxy keys --new NAME"],
    [
      { auth_mode: "strict" },
      "No keys: the proxy creates one when it starts. To create one: sallyport proxy keys --new NAME",
    ],
    [
      { auth_mode: "strict", database: "postgres://sallyport@db.example/sallyport" },
      "No keys in the configuration: with PostgreSQL, the proxy does not create one. To create one: sallyport proxy keys create NAME",
    ],
  ])("explains how one is created: %j", async (settings, text) => {
    expect(await printKeys(settings)).toBe(text);
  });
});
