import { expect, it, onTestFinished } from "vitest";
import { json, startFakeUpstream } from "../support/fake-upstream.ts";
import { startTestProxy } from "../support/start-proxy.ts";

const KEY = "sk-of-the-proxy-0123456789";

it.each(["/v1/messages", "/mcp/tools/mcp"])(
  "removes the proxy's key in any header, and hop-by-hop headers, for %s",
  async (path) => {
    const upstream = await startFakeUpstream(json({}));
    const proxy = await startTestProxy({
      auth_mode: "off",
      api_keys: [KEY],
      upstreams: { main: { dialect: "messages", base_url: upstream.url, api_key: "sk-of-the-vendor" } },
      mcp: { tools: { url: `${upstream.url}/rpc` } },
    });
    onTestFinished(async () => {
      await proxy.close();
      await upstream.close();
    });
    await fetch(proxy.url + path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-note": KEY,
        "openai-organization": `org ${KEY}`,
        "api-key": KEY,
        "user-agent": `agent/1 (key=${KEY})`,
        "http2-settings": "AAMAAABkAAQAAP__",
        "alt-used": "a.test",
        "max-forwards": "7",
        "x-other": "a value that is long but no key at all",
      },
      body: JSON.stringify({ model: "main/m", max_tokens: 9, messages: [] }),
    });
    const { headers, rawHeaders = [] } = upstream.hits[0] ?? {};
    expect(rawHeaders.filter((text) => text.includes(KEY))).toEqual([]);
    expect(headers).toMatchObject({ "x-other": "a value that is long but no key at all" });
    for (const name of ["http2-settings", "alt-used", "max-forwards"])
      expect(headers).not.toHaveProperty([name]);
  },
);
