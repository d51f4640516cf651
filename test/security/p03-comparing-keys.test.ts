import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { collectKeys } from "../../src/proxy/auth/credentials.ts";
import { createKeyRing } from "../../src/proxy/auth/key-ring.ts";
import { configOf } from "../support/start-proxy.ts";

const keyOf = (text: string) => ({ name: text, sha256: createHash("sha256").update(text).digest() });

describe("P3 keys", () => {
  it("match themselves only, at any length and in any script", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "binary", maxLength: 40 }), { maxLength: 4 }),
        fc.string({ unit: "binary", maxLength: 40 }),
        (keys, shown) => {
          const found = createKeyRing(keys.map(keyOf)).find([shown])?.name;
          expect(found).toBe(keys.includes(shown) ? shown : undefined);
        },
      ),
    );
    const long = "k".repeat(10_000);
    expect(createKeyRing([keyOf(long)]).find([`${long}k`, long.slice(1), long])?.name).toBe(long);
    expect(createKeyRing([]).find(["", "x"])).toBeUndefined();
  });

  it("stay valid after any number of wrong keys", () => {
    const ring = createKeyRing([keyOf("right")]);
    for (let index = 0; index < 2_500; index += 1) expect(ring.find([`wrong ${index}`])).toBeUndefined();
    expect(ring.find(["right"])?.name).toBe("right");
    expect(ring.find(["wrong 0", "right"])?.name).toBe("right");
  });

  it("are cached only if they are valid, so guessing takes no memory", () => {
    const ring = createKeyRing([keyOf("right")]);
    const remember = vi.spyOn(Map.prototype, "set");
    try {
      for (const text of ["wrong", "right", "wrong", "right"]) ring.find([text]);
      const texts = remember.mock.calls.map(([text]) => text);
      expect(texts.filter((text) => text === "right" || text === "wrong")).toEqual(["right"]);
    } finally {
      remember.mockRestore();
    }
  });

  it("are compared in constant time (timing attack)", () => {
    const source = readFileSync(resolve(import.meta.dirname, "../../src/proxy/auth/key-ring.ts"), "utf8");
    expect(source).toContain("timingSafeEqual(digest, key.sha256)");
    expect(source).not.toMatch(/sha256\.equals|sha256 ===|=== key\b/);
  });

  it("are read from the key headers, and from Authorization only after Bearer", () => {
    expect(collectKeys({ authorization: "Bearer a" }, "/", false)).toEqual(["a"]);
    expect(collectKeys({ authorization: "bEaReR   a  " }, "/", false)).toEqual(["a"]);
    for (const authorization of ["a", "Basic a", "Bearer", "Bearer ", "Bearer a b", "xBearer a", ""])
      expect(collectKeys({ authorization }, "/", false)).toEqual([]);
    expect(collectKeys({ "x-api-key": "", "x-goog-api-key": "g", "x-gen-api-key": "n" }, "/", false)).toEqual(
      ["n", "g"],
    );
    expect(collectKeys({}, "/v1beta/models?key=q&key=r", true)).toEqual(["q"]);
    expect(collectKeys({}, "/v1beta/models?key=", true)).toEqual([]);
    expect(collectKeys({}, "/v1/models?key=q", false)).toEqual([]);
    expect(collectKeys({}, "/v1beta/models", true)).toEqual([]);
  });

  it("are rejected at the start if they are too short", () => {
    for (const key of ["", "short", "x".repeat(15)]) expect(() => configOf({ api_keys: [key] })).toThrow();
    expect(configOf({ api_keys: ["x".repeat(16)] }).keys).toHaveLength(1);
  });
});
