import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readDraft, writeDraft } from "../../../../web/shared/drafts/leaving-draft.ts";

/** The bytes that a browser allows in requests with `keepalive` (https://fetch.spec.whatwg.org/). */
const KEEPALIVE_BYTES = 65_536;

let stored: { generation: number; content: unknown; savedAt: string };
let keptAlive: boolean[];

beforeEach(() => {
  stored = { generation: 0, content: null, savedAt: "" };
  keptAlive = [];
  const tab = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => tab.get(key) ?? null,
    setItem: (key: string, value: string) => tab.set(key, value),
  });
  vi.stubGlobal("document", { querySelector: () => null });
  vi.stubGlobal("fetch", async (_path: string, { body, keepalive = false }: RequestInit = {}) => {
    if (body === undefined) return Response.json(stored);
    if (keepalive && Buffer.byteLength(String(body)) > KEEPALIVE_BYTES)
      throw new TypeError("Failed to fetch");
    keptAlive.push(keepalive);
    stored = { ...JSON.parse(String(body)), savedAt: "2026-01-01T00:00:00Z" };
    return Response.json(stored);
  });
});
afterEach(() => void vi.unstubAllGlobals());

describe("the last save before the page may close", () => {
  it("is completed by the browser after the page has closed", async () => {
    expect(await writeDraft("session", { generation: 1, content: "short" }, true)).toMatchObject({
      ok: true,
    });
    expect(keptAlive).toEqual([true]);
  });

  it.each(["x", "é"])("is sent also if the draft is too large for that (%s)", async (letter) => {
    const content = letter.repeat(KEEPALIVE_BYTES / Buffer.byteLength(letter));
    expect(await writeDraft("session", { generation: 1, content }, true)).toMatchObject({ ok: true });
    expect(stored.content).toBe(content);
  });

  it("is read from the tab if the server does not have it", async () => {
    await writeDraft("session", { generation: 2, content: "left" }, true);
    stored = { generation: 1, content: "before", savedAt: "2026-01-01T00:00:00Z" };
    expect(await readDraft("session")).toEqual({
      ok: true,
      value: { generation: 2, content: "left", savedAt: "" },
    });
  });
});
