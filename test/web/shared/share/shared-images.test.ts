import { describe, expect, it } from "vitest";
import type { AttachedImage } from "../../../../src/review/api-types.ts";
import { withNamedImages } from "../../../../web/shared/share/shared-images.ts";

describe("withNamedImages", () => {
  it("replaces the paths of attached images, the same path by the same name", () => {
    const shot = { path: "/home/ada/shot.png", name: "shot.png" };
    const sketch = { path: "/home/ada/sketch.png", name: "sketch.png" };
    const given: readonly { readonly images?: readonly AttachedImage[] }[] = [
      { images: [shot, sketch] },
      {},
      { images: [sketch] },
    ];
    const { comments, urls } = withNamedImages(given);
    expect(comments).toEqual([
      {
        images: [
          { path: "attached:1", name: "shot.png" },
          { path: "attached:2", name: "sketch.png" },
        ],
      },
      {},
      { images: [{ path: "attached:2", name: "sketch.png" }] },
    ]);
    expect([...urls]).toEqual([
      ["attached:1", "/api/image?path=%2Fhome%2Fada%2Fshot.png"],
      ["attached:2", "/api/image?path=%2Fhome%2Fada%2Fsketch.png"],
    ]);
  });
});
