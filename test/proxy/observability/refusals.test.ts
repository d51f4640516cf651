import { describe, expect, it } from "vitest";
import {
  createRefusalReporter,
  type Refusal,
  refusalLine,
} from "../../../src/proxy/observability/refusals.ts";
import { startTestProxy } from "../../support/start-proxy.ts";

const refusal: Refusal = {
  time: "2026-01-02T03:04:05.000Z",
  method: "POST",
  path: "/chat/completions",
  route: "",
  client: "127.0.0.1",
  errorCode: "not_found",
  status: 404,
  reason: "Unknown path",
};

describe("a rejected request", () => {
  it("is logged as one line, whatever characters it contains", () => {
    expect(refusalLine(refusal)).toBe("03:04:05  404!  POST /chat/completions  Unknown path");
    const odd = refusalLine({ ...refusal, path: `/${"x".repeat(500)}\nforged` });
    expect(odd).not.toContain("\n");
    expect(odd.length).toBeLessThan(200);
  });

  it("is reported again after a pause, unless it differs", () => {
    const lines: string[] = [];
    const report = createRefusalReporter((line) => lines.push(line));
    report(refusal);
    report({ ...refusal, time: "2026-01-02T03:04:05.900Z" });
    expect(lines).toHaveLength(1);
    report({ ...refusal, time: "2026-01-02T03:04:06.000Z" });
    report({ ...refusal, status: 401 });
    expect(lines).toHaveLength(3);
  });

  it("is reported with the reason and without the query", async () => {
    const proxy = await startTestProxy({ auth_mode: "strict", api_keys: ["sk-clients-0123456789abcdef"] });
    const right = { authorization: "Bearer sk-clients-0123456789abcdef" };
    try {
      await fetch(`${proxy.url}/v1/models?key=hidden`);
      await fetch(`${proxy.url}/v1/v1/chat/completions`, { method: "POST", headers: right });
      await fetch(`${proxy.url}/v1/messages`, { headers: right });
      await fetch(`${proxy.url}/v1/models`, { headers: { origin: "https://page.example" } });
      await fetch(`${proxy.url}/v1/models`, { headers: right });
    } finally {
      await proxy.close();
    }
    expect(proxy.refusals.map(({ method, path, status }) => [status, method, path])).toEqual([
      [401, "GET", "/v1/models"],
      [404, "POST", "/v1/v1/chat/completions"],
      [405, "GET", "/v1/messages"],
      [403, "GET", "/v1/models"],
    ]);
    expect(JSON.stringify(proxy.refusals)).not.toContain("hidden");
    expect(proxy.records).toEqual([]);
  });
});
