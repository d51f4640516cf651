import { validateHeaderValue } from "node:http";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLossHeader } from "../../../src/proxy/translate/loss-header.ts";

const headerFor = (codes: readonly string[]) => createLossHeader(codes)["x-sallyport-losses"] ?? "";

describe("the header of losses", () => {
  it("is absent without losses", () => {
    expect(createLossHeader([])).toEqual({});
  });

  it("lists codes, and encodes the characters that a header cannot contain", () => {
    expect(headerFor(["top-k", "user"])).toBe("top-k,user");
    expect(headerFor(["\u20ac", "a,b", "\ud800", "\r\nx: y"])).toBe("%E2%82%AC,a%2Cb,%EF%BF%BD,%0D%0Ax:%20y");
  });

  it("is valid and short, whatever the codes and their number", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "binary", minLength: 1, maxLength: 200 }), { minLength: 1 }),
        (codes) => {
          const value = headerFor(codes);
          expect(() => validateHeaderValue("x-sallyport-losses", value)).not.toThrow();
          expect(value.length).toBeLessThan(4_200);
        },
      ),
    );
    expect(headerFor(Array.from({ length: 10_000 }, (_, index) => `member-${index}`))).toMatch(
      /,and-\d+-more$/,
    );
    expect(headerFor(["x".repeat(10_000)])).toBe("and-1-more");
  });
});
