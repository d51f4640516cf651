import { describe, expect, it } from "vitest";
import { effectiveMode, needsKey } from "../../../src/proxy/auth/policy.ts";

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
    "in mode %s with LAN access %s requires a key %s for /healthz and %s for other routes",
    (mode, lan, health, others) => {
      const effective = effectiveMode(mode, lan);
      expect(needsKey(effective, "health")).toBe(health);
      expect(needsKey(effective, "generate")).toBe(others);
      expect(needsKey(effective, "warmup")).toBe(others);
      expect(needsKey(effective, undefined)).toBe(others);
    },
  );

  it("reports the mode that auto resolves to by its documented name", () => {
    expect(effectiveMode("auto", true)).toBe("all_except_health");
    expect(effectiveMode("auto", false)).toBe("off");
  });
});
