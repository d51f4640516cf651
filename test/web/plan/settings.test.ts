import { describe, expect, it } from "vitest";
import type { ReviewSettings } from "../../../src/review/api-types.ts";
import { resolveImageUrl } from "../../../web/plan/article/image-url.ts";
import { tagsIn } from "../../../web/plan/decide/save-options.tsx";
import { describeSaves, toSaveTargets } from "../../../web/plan/state/settings.ts";

const off: ReviewSettings = { theme: "system", planSave: { enabled: false } };

describe("the save settings of a plan", () => {
  it("follow the stored settings and omit what is switched off", () => {
    expect(toSaveTargets(off, "p")).toEqual({ planSave: { enabled: false } });
    const on: ReviewSettings = {
      theme: "dark",
      planSave: { enabled: true, customPath: "~/plans" },
      vaultapp: { enabled: true, vaultPath: "/v", folder: "Plans", tags: ["a"] },
      noteapp: { enabled: true },
    };
    expect(toSaveTargets(on, "p")).toEqual({
      planSave: { enabled: true, customPath: "~/plans" },
      vaultapp: { vaultPath: "/v", folder: "Plans", tags: ["a"], plan: "p" },
      noteapp: { plan: "p" },
    });
    expect(describeSaves(on)).toBe("A copy goes to ~/plans, Obsidian (v), Bear");
    expect(describeSaves(off)).toBe("No copy is kept");
  });

  it("require a vault to save to one", () => {
    const settings = { ...off, vaultapp: { enabled: true, vaultPath: "" } };
    expect(toSaveTargets(settings, "p")).toEqual({ planSave: { enabled: false } });
  });

  it("accept tags in common formats", () => {
    expect(tagsIn(" #plan, redis  plan,,#x/y ")).toEqual(["plan", "redis", "x/y"]);
  });
});

describe("an image of the plan", () => {
  it.each([
    ["a.png", "/api/image?path=%2Fwork%2Fa.png"],
    ["./docs/a%20b.png", "/api/image?path=%2Fwork%2Fdocs%2Fa%20b.png"],
    ["/tmp/x.png?raw=1", "/api/image?path=%2Ftmp%2Fx.png"],
    ["~/x.png", "/api/image?path=~%2Fx.png"],
    ["C:\\x.png", "/api/image?path=C%3A%5Cx.png"],
    ["data:image/png;base64,AA", "data:image/png;base64,AA"],
    ["https://evil.test/x.png", undefined],
    ["//evil.test/x.png", undefined],
    ["data:image/svg+xml,<svg>", undefined],
    ["file:///etc/passwd", undefined],
  ])("%s is shown from %s", (source, url) => {
    expect(resolveImageUrl(source, "/work")).toBe(url);
  });
});
