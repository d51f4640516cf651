import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ConfigurationFile, explainIssues, parseConfiguration } from "../../src/config/load.ts";
import { resolveProxyConfig } from "../../src/config/proxy/resolve.ts";
import { fileSchema as proxyFile, proxySchema } from "../../src/config/proxy/schema.ts";
import { reviewSchema } from "../../src/config/review/section.ts";
import { AppError } from "../../src/errors.ts";

/** One line for each problem: file, line from 1, keys, reason. */
const PLACED = /^any\.json:[1-9]\d*: .+/;

/** Reads the file as the proxy does, and returns the error; undefined for a valid configuration. */
function refusalOf(text: string): string | undefined {
  try {
    const file = parseConfiguration(text, "any.json");
    const result = proxyFile.safeParse(file.value);
    if (!result.success) throw explainIssues(result.error.issues, file, proxyFile);
    const { proxy } = result.data;
    const loaded = { settings: proxy, path: file.path, file, getSource: () => "default" };
    resolveProxyConfig(loaded, {}, { localServers: [], generatedKey: undefined });
    return undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === "configuration") return error.message;
    throw error;
  }
}

const awkward = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(
    "__proto__",
    "http://x",
    "x:",
    "data:,",
    "",
    "k".repeat(16),
    0,
    -1,
    1e300,
    8045,
    [],
    {},
    null,
  ),
);
const upstream = fc.record(
  {
    dialect: fc.oneof(fc.constantFrom("messages", "responses"), awkward),
    base_url: awkward,
    models: awkward,
  },
  { requiredKeys: [] },
);
const values: Record<string, fc.Arbitrary<unknown>> = {
  upstreams: fc.dictionary(
    fc.constantFrom("a", "b", "echo", "__proto__", "c d"),
    fc.oneof(upstream, awkward),
  ),
  models: fc.array(fc.record({ match: fc.string(), upstream: fc.constantFrom("a", "echo", 1) }), {
    maxLength: 3,
  }),
  api_keys: fc.array(fc.oneof(fc.constantFrom("short", "k".repeat(16)), awkward), { maxLength: 3 }),
  allowed_origins: fc.array(fc.oneof(fc.webUrl(), awkward), { maxLength: 3 }),
};
/** Existing keys with valid or invalid values, and occasionally an unknown key. */
const nearlySettings = fc.record(
  Object.fromEntries(
    [...Object.keys(proxySchema.shape), "__proto__", "unknown"].map((key) => [
      key,
      values[key] ? fc.oneof(values[key], awkward) : awkward,
    ]),
  ),
  { requiredKeys: [] },
);

describe("the configuration", () => {
  it("is taken or refused with file, line and key, whatever JSON it is", () => {
    const any = fc.oneof(fc.jsonValue(), fc.record({ proxy: fc.oneof(nearlySettings, awkward) }));
    fc.assert(
      fc.property(any, fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const lines = text.split("\n").length;
        for (const line of refusalOf(text)?.split("\n") ?? []) {
          expect(line).toMatch(PLACED);
          expect(Number(line.split(":")[1])).toBeLessThanOrEqual(lines);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("is taken or refused with file and line where it is hardly JSON at all", () => {
    const good = '{ // the door\n "proxy": {\n  "port": 8045,\n  "api_keys": ["0123456789abcdef"],\n },\n}\n';
    const cut = fc
      .tuple(fc.nat(good.length), fc.nat(6), fc.string({ maxLength: 4 }))
      .map(([at, length, text]) => good.slice(0, at) + text + good.slice(at + length));
    fc.assert(
      fc.property(fc.oneof(cut, fc.string({ unit: "binary" })), (text) => {
        const refusal = refusalOf(text);
        if (refusal !== undefined) expect(refusal).toMatch(PLACED);
      }),
      { numRuns: 200 },
    );
    expect(refusalOf(good)).toBeUndefined();
  });

  const keys = fc.uniqueArray(fc.constantFrom("sharing", "browser", "plan_save", "typo", "Sharing"), {
    minLength: 1,
  });
  it("names the line that each wrong value stands in", () => {
    fc.assert(
      fc.property(keys, (names) => {
        const text = `{\n${names.map((name) => `"${name}": 1`).join(",\n")}\n}`;
        const file: ConfigurationFile = parseConfiguration(text, "any.json");
        const { issues = [] } = reviewSchema.safeParse(file.value).error ?? {};
        const lines = explainIssues(issues, file, reviewSchema).message.split("\n");
        expect(lines.length).toBeGreaterThan(0);
        for (const line of lines) {
          const [, number, key = ""] = line.split(":");
          expect(names[Number(number) - 2]).toBe(key.trim());
        }
      }),
    );
  });
});
