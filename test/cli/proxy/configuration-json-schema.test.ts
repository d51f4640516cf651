import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { configurationJsonSchema } from "../../../src/cli/proxy/check.ts";
import { parseConfiguration } from "../../../src/config/load.ts";

/** The schema as zod parses it back from the JSON Schema. */
const file = z.fromJSONSchema(JSON.parse(JSON.stringify(configurationJsonSchema())));

describe("the JSON Schema of the configuration file", () => {
  it("has every section and describes the keys", () => {
    const text = JSON.stringify(configurationJsonSchema());
    for (const key of ["auth_mode", "allow_lan_access", "upstreams", "strict_translation", "header_env"])
      expect(text).toContain(`"${key}"`);
    for (const key of ["review", "sharing", "browser", "plan_save", "folder"])
      expect(text).toContain(`"${key}"`);
    expect(text).toContain("Keep a copy of every decided plan.");
  });

  it.each([
    {},
    { $schema: "./schema.json" },
    { review: { browser: "none", plan_save: { enabled: false } }, proxy: { port: 8046 } },
  ])("takes %j", (value) => {
    expect(file.safeParse(value).success).toBe(true);
  });

  it.each([
    { review: { plan_save: { folders: "/x" } } },
    { review: { sharing: "yes" } },
    { proxy: { port: "8046" } },
    { proxy: { ports: 8046 } },
    { prxy: {} },
  ])("refuses %j", (value) => {
    expect(file.safeParse(value).success).toBe(false);
  });

  it("accepts the example", () => {
    const path = join(import.meta.dirname, "../../../examples/proxy.config.jsonc");
    const { value } = parseConfiguration(readFileSync(path, "utf8"), path);
    expect(file.safeParse(value).success).toBe(true);
  });
});
