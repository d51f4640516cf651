import { describe, expect, it } from "vitest";
import { keyLabels, keyName } from "../../../../web/shared/keyboard/keys.ts";

const press = (
  key: string,
  pressed: Partial<Record<"ctrlKey" | "metaKey" | "altKey" | "shiftKey", boolean>> = {},
) => keyName({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...pressed });

describe("key names", () => {
  it("name the pressed keys, Control and Command alike", () => {
    expect(press("c")).toBe("c");
    expect(press("E", { shiftKey: true })).toBe("E");
    expect(press("?", { shiftKey: true })).toBe("?");
    expect(press("Enter", { ctrlKey: true })).toBe("Mod+Enter");
    expect(press("Z", { metaKey: true, shiftKey: true })).toBe("Mod+Shift+z");
    expect(press("ArrowDown", { shiftKey: true })).toBe("Shift+ArrowDown");
  });

  it("are formatted for display", () => {
    expect(keyLabels("Mod+Enter", true)).toEqual(["⌘", "Enter"]);
    expect(keyLabels("Mod+Shift+z", false)).toEqual(["Ctrl", "Shift", "z"]);
    expect(keyLabels("Escape", false)).toEqual(["Esc"]);
  });
});
