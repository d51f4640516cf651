import { expect, it, vi } from "vitest";
import { newId } from "../../../web/shared/new-id.ts";

it("returns unique ids, also without randomUUID", () => {
  vi.stubGlobal("crypto", {
    getRandomValues: crypto.getRandomValues.bind(crypto),
  });
  try {
    const ids = Array.from({ length: 1_000 }, newId);
    expect(new Set(ids).size).toBe(1_000);
    expect(ids.every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true);
  } finally {
    vi.unstubAllGlobals();
  }
});
