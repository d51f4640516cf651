import { describe, expect, it } from "vitest";
import { explainIssues, parseConfiguration } from "../../src/config/load.ts";
import { plainIssue } from "../../src/config/plain-issue.ts";
import { keyLimitsSchema } from "../../src/config/proxy/limits.ts";
import { fileSchema } from "../../src/config/proxy/schema.ts";

/** Returns the command's output for a configuration. */
function findProblems(text: string): string {
  const file = parseConfiguration(text, "c.json");
  const { error } = fileSchema.safeParse(file.value, { error: plainIssue });
  return error ? explainIssues(error.issues, file, fileSchema).message : "";
}

describe("a mistake in the configuration", () => {
  it.each([
    ['{"proxy": {"prot": 1}}', 'c.json:1: proxy.prot: unknown key. Did you mean "port"?'],
    ['{"port": 8045}', 'c.json:1: port: unknown key. "port" belongs under "proxy": {"proxy": {"port": …}}'],
    [
      '{"proxy": {"upstreams": {"a": {"dialect": "messages", "base_url": "http://x", "apiKey": "k"}}}}',
      'c.json:1: proxy.upstreams.a.apiKey: unknown key. Did you mean "api_key"?',
    ],
    [
      '{"proxy": {\n"sotre": 1,\n"xyzzy": 2}}',
      'c.json:2: proxy.sotre: unknown key. Did you mean "store"?\nc.json:3: proxy.xyzzy: unknown key',
    ],
  ])("in %s is explained with the key that is meant", (text, message) => {
    expect(findProblems(text)).toBe(message);
  });

  it("in a closed list of values is explained with the value that is meant", () => {
    const text = '{"proxy": {"upstreams": {"a": {"dialect": "openai", "base_url": "http://x"}}}}';
    expect(findProblems(text)).toMatch(/not "openai"\. Did you mean "chat-completions"\?$/);
  });

  it("that exceeds a maximum is explained with the unit", () => {
    const prefix = { url: "http://localhost/mcp", prefix: "x".repeat(65) };
    expect(findProblems(JSON.stringify({ proxy: { mcp: { a: prefix } } }))).toBe(
      "c.json:1: proxy.mcp.a.prefix: must have at most 64 characters",
    );
    expect(findProblems('{"proxy": {"port": 65536}}')).toBe("c.json:1: proxy.port: must be at most 65535");
    const budgets = Array(9).fill({ usd: 1, period: "day" });
    const { error } = keyLimitsSchema.safeParse({ budgets }, { error: plainIssue });
    expect(error?.issues[0]?.message).toBe("must have at most 8 entries");
  });

  it("that gives a key twice is refused with both lines", () => {
    expect(() => parseConfiguration('{\n"a": 1,\n"b": {"c": 1,\n"c": 2}}', "c.json")).toThrow(
      'c.json:4: duplicate key "c"; first defined on line 3',
    );
  });
});
