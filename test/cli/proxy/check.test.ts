import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkProxy } from "../../../src/cli/proxy/check.ts";
import { recordOutput } from "../../support/record-output.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

it("warns of an upstream that is the proxy itself", async () => {
  const config = join(await temporaryFolder(), "config.json");
  const upstreams = { again: { dialect: "messages", base_url: "http://localhost:8045", api_key: "k" } };
  await writeFile(config, JSON.stringify({ proxy: { upstreams } }));
  const { notes, output } = recordOutput();
  expect(await checkProxy({ config, json: false, jsonSchema: false }, output)).toBe(0);
  expect(notes).toEqual([
    expect.stringContaining('the upstream "again" is this proxy. Calls to it fail with 508.'),
  ]);
});
