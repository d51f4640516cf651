import { describe, expect, it } from "vitest";
import { svgUrl } from "../../../../web/code/preview/image-comparison.tsx";

describe("the URL of an SVG", () => {
  it("is a data URL, which has no origin, with every character encoded that could end it", () => {
    const url = svgUrl('<svg>"#&ä</svg>') ?? "";
    expect(url).toMatch(/^data:image\/svg\+xml,[\w%().!~*'-]+$/);
    expect(decodeURIComponent(url.slice(url.indexOf(",") + 1))).toBe('<svg>"#&ä</svg>');
  });

  it("is absent without a text, above the limit and for declared entities", () => {
    expect(svgUrl(undefined)).toBeUndefined();
    expect(svgUrl(" ".repeat(1_000_001))).toBeUndefined();
    expect(svgUrl('<!DOCTYPE svg [<!entity a "b">]><svg/>')).toBeUndefined();
  });
});
