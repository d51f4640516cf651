import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runOpenResponses, testIds } from "../../../scripts/conformance/open-responses.mjs";
import { startTestProxy, type TestProxy } from "../../support/start-proxy.ts";

const apiKey = "sk-open-responses-0123456789";
const dialects = ["responses", "chat-completions", "messages", "generative-language"] as const;

/** A second proxy's echo replaces the upstreams, in each dialect. */
let vendors: TestProxy;
let proxy: TestProxy;

beforeAll(async () => {
  vendors = await startTestProxy({});
  proxy = await startTestProxy({
    auth_mode: "strict",
    api_keys: [apiKey],
    upstreams: Object.fromEntries(
      dialects.map((dialect) => [
        dialect,
        { dialect, base_url: vendors.url, api_key: "sk-vendor-0123456789", models: ["echo"] },
      ]),
    ),
  });
});
afterAll(async () => {
  await proxy.close();
  await vendors.close();
  expect([...proxy.internal, ...vendors.internal]).toEqual([]);
});

describe("Open Responses", () => {
  it("is passed by the echo", async () => {
    const target = { baseUrl: `${vendors.url}/v1`, apiKey: "none", model: "echo" };
    expect(await failures(target)).toEqual([]);
  });

  it.each(dialects)("is passed with an upstream of the dialect %s", async (dialect) => {
    const target = { baseUrl: `${proxy.url}/v1`, apiKey, model: `${dialect}/echo` };
    expect(await failures(target)).toEqual([]);
  });
});

async function failures(target: Parameters<typeof runOpenResponses>[0]) {
  const results = await runOpenResponses(target, testIds);
  return results.filter(({ errors }) => errors.length > 0);
}
