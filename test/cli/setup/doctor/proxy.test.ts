import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { proxyFindings } from "../../../../src/cli/setup/doctor/proxy.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

it("doctor shows an upstream's URL without the credentials in its query", async () => {
  const config = join(await temporaryFolder(), "config.json");
  const base_url = "http://127.0.0.1:9/v1?api_key=hidden-0123456789&version=2";
  await writeFile(
    config,
    JSON.stringify({ proxy: { upstreams: { away: { dialect: "messages", base_url } } } }),
  );
  const { findings } = await proxyFindings({ json: false, config });
  const finding = findings.find(({ subject }) => subject === "upstream away");
  expect(finding).toMatchObject({
    state: "warning",
    detail: expect.stringContaining("http://127.0.0.1:9/v1?api_key=[redacted]&version=2"),
  });
  expect(JSON.stringify(findings)).not.toContain("hidden-0123456789");
});
