import { afterEach, describe, expect, it, vi } from "vitest";
import { keepTheme, keptTheme } from "../../../web/inbox/kept-theme.ts";

afterEach(() => void vi.unstubAllGlobals());

describe("the theme of the inbox", () => {
  it("is stored in the browser", () => {
    const stored = new Map<string, string>();
    vi.stubGlobal("localStorage", {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
    });
    expect(keptTheme()).toBeUndefined();
    keepTheme("dark");
    expect(keptTheme()).toBe("dark");
    keepTheme("system");
    expect(keptTheme()).toBeUndefined();
  });

  it("is the system's in a browser that disables storage", () => {
    const refuse = () => {
      throw new DOMException("The operation is insecure.", "SecurityError");
    };
    vi.stubGlobal("localStorage", { getItem: refuse, setItem: refuse });
    keepTheme("dark");
    expect(keptTheme()).toBeUndefined();
  });
});
