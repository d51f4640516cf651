import { describe, expect, it } from "vitest";
import { effectiveMode, isApiOperation, mayCall, needsKey } from "../../../src/proxy/auth/policy.ts";

describe("the authentication policy", () => {
  it.each([
    ["off", false, false, false],
    ["off", true, false, false],
    ["strict", false, true, true],
    ["strict", true, true, true],
    ["all_except_health", false, false, true],
    ["all_except_health", true, false, true],
    ["auto", false, false, false],
    ["auto", true, false, true],
  ] as const)(
    "in mode %s with LAN access %s requires a key %s for /healthz and /readyz, and %s for other routes",
    (mode, lan, health, others) => {
      const effective = effectiveMode(mode, lan);
      expect(needsKey(effective, "health")).toBe(health);
      expect(needsKey(effective, "readiness")).toBe(health);
      expect(needsKey(effective, "generate")).toBe(others);
      expect(needsKey(effective, "warmup")).toBe(others);
      expect(needsKey(effective, undefined)).toBe(others);
    },
  );

  it("reports the mode that auto resolves to by its documented name", () => {
    expect(effectiveMode("auto", true)).toBe("all_except_health");
    expect(effectiveMode("auto", false)).toBe("off");
  });

  it("requires a key for the APIs of the proxy in every mode", () => {
    for (const mode of ["off", "all_except_health", "strict"] as const)
      for (const operation of ["admin", "own"] as const)
        expect([mode, operation, needsKey(mode, operation)]).toEqual([mode, operation, true]);
  });

  it("counts only the admin API and the API of the caller's key as APIs of the proxy", () => {
    expect([...operations, undefined].filter(isApiOperation)).toEqual(["admin", "own"]);
  });
});

const operations = [
  "admin",
  "own",
  "metrics",
  "home",
  "dashboard-events",
  "health",
  "readiness",
  "hello",
  "list-models",
  "generate",
  "mcp",
] as const;

describe("the role of a key", () => {
  const sha256 = Buffer.alloc(32);
  it.each([
    ["user", { id: "key_1", role: "user" }, ["admin", "metrics", "home", "dashboard-events"]],
    [
      "metrics",
      { id: "key_1", role: "metrics" },
      ["admin", "own", "home", "dashboard-events", "hello", "list-models", "generate", "mcp", undefined],
    ],
    ["admin", { id: "key_1", role: "admin" }, []],
    ["of a configured key, which is undefined,", { id: "config:a" }, ["admin"]],
  ] as const)("%s rejects the operations that it does not include", (_, key, rejected) => {
    const all = [...operations, undefined];
    const found = all.filter((operation) => !mayCall({ name: "a", sha256, ...key }, operation));
    expect(found).toEqual(rejected);
  });
});
