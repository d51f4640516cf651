import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { followProxy } from "../../../web/dashboard/live/follow-proxy.ts";

const follower = { onState: () => {}, onLost: () => {}, onLocked: () => {} };
const page = Object.assign(new EventTarget(), { hidden: true });
const request = vi.fn(() => Promise.resolve(new Response(null, { status: 401 })));

beforeEach(() => {
  page.hidden = true;
  request.mockClear();
  vi.stubGlobal("document", page);
  vi.stubGlobal("location", new URL("http://localhost:8000/dashboard"));
  vi.stubGlobal("fetch", request);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describe("followProxy on a hidden page", () => {
  it("resolves when the signal is aborted, and sends no request", async () => {
    const stopping = new AbortController();
    const following = followProxy(follower, undefined, stopping.signal);
    stopping.abort();
    await following;
    page.hidden = false;
    page.dispatchEvent(new Event("visibilitychange"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(request).not.toHaveBeenCalled();
  });

  it("connects when the page becomes visible", async () => {
    const onLocked = vi.fn();
    const following = followProxy({ ...follower, onLocked }, undefined, new AbortController().signal);
    expect(request).not.toHaveBeenCalled();
    page.hidden = false;
    page.dispatchEvent(new Event("visibilitychange"));
    await following;
    expect(request).toHaveBeenCalledOnce();
    expect(onLocked).toHaveBeenCalledOnce();
  });
});
