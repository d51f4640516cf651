import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  APPEAR_DELAY_MS,
  acceptsClick,
  acceptsKey,
  type Click,
  type DecidingKey,
  delayLeft,
  FOCUS_DELAY_MS,
  isDecidingKey,
} from "../../../../web/shared/irreversible/input-gate.ts";

const times = { focusedAt: 0, shownAt: 5_000 };
const click: Click = { isTrusted: true, detail: 1, at: 9_100, pressedAt: 9_000, keyAt: undefined };
const press: DecidingKey = {
  key: "Enter",
  ctrlKey: true,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  repeat: false,
  isTrusted: true,
  at: 9_000,
};

describe("the input gate", () => {
  it("opens a second after the page gained focus and 400 ms after the button appeared", () => {
    expect(delayLeft({ focusedAt: 0, shownAt: 0 }, 400)).toBe(FOCUS_DELAY_MS - 400);
    expect(delayLeft({ focusedAt: 0, shownAt: 2_000 }, 2_100)).toBe(APPEAR_DELAY_MS - 100);
    expect(delayLeft({ focusedAt: 0, shownAt: 2_000 }, 2_400)).toBe(0);
    expect(delayLeft({ focusedAt: undefined, shownAt: 0 }, 9_000)).toBeUndefined();
    expect(delayLeft({ focusedAt: 0, shownAt: undefined }, 9_000)).toBeUndefined();
  });

  it("accepts a pointer press that began on the button while the gate was open", () => {
    expect(acceptsClick(click, times)).toBe(true);
    expect(acceptsClick({ ...click, pressedAt: undefined }, times)).toBe(false);
    expect(acceptsClick({ ...click, pressedAt: 5_100, at: 5_500 }, times)).toBe(false);
    expect(acceptsClick({ ...click, isTrusted: false }, times)).toBe(false);
    expect(acceptsClick(click, { ...times, focusedAt: 8_900 })).toBe(false);
    expect(acceptsClick(click, { ...times, focusedAt: undefined })).toBe(false);
  });

  it("accepts a click of assistive technology, but none from Enter, Space or a script", () => {
    const plain = { ...click, detail: 0, pressedAt: undefined };
    expect(acceptsClick(plain, times)).toBe(true);
    expect(acceptsClick({ ...plain, keyAt: 9_099 }, times)).toBe(false);
    expect(acceptsClick({ ...plain, isTrusted: false }, times)).toBe(false);
    expect(acceptsClick({ ...plain, at: 5_200 }, times)).toBe(false);
  });

  it("accepts Ctrl+Enter and Cmd+Enter, unless held or made by a script", () => {
    expect(acceptsKey(press, times)).toBe(true);
    expect(acceptsKey({ ...press, ctrlKey: false, metaKey: true }, times)).toBe(true);
    expect(acceptsKey({ ...press, repeat: true }, times)).toBe(false);
    expect(acceptsKey({ ...press, isTrusted: false }, times)).toBe(false);
    expect(acceptsKey({ ...press, at: 5_399 }, times)).toBe(false);
  });

  it("accepts no other key, with any modifier", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom("Enter", " ", "a", "A", "Escape"), fc.string({ maxLength: 2 })),
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        (key, ctrlKey, metaKey, altKey, shiftKey) => {
          const isMeant = key === "Enter" && (ctrlKey || metaKey) && !altKey && !shiftKey;
          expect(isDecidingKey({ key, ctrlKey, metaKey, altKey, shiftKey })).toBe(isMeant);
        },
      ),
    );
  });
});
