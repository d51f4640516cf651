import { afterEach, describe, expect, it, vi } from "vitest";
import type { HighlightRequest, HighlightResponse } from "../../../../web/code/highlight/highlight-worker.ts";

/** A worker of the page, which the test controls. */
class FakeWorker {
  static readonly started: FakeWorker[] = [];
  readonly requests: HighlightRequest[] = [];
  isTerminated = false;
  onmessage = (_event: { readonly data: HighlightResponse }) => {};
  onerror = () => {};
  constructor() {
    FakeWorker.started.push(this);
  }
  postMessage(request: HighlightRequest): void {
    this.requests.push(request);
  }
  terminate(): void {
    this.isTerminated = true;
  }
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.doUnmock("../../../../web/code/highlight/highlight.ts");
  vi.resetModules();
  FakeWorker.started.length = 0;
});

describe("highlighting in a worker", () => {
  it("starts another worker for requests after a worker has failed", async () => {
    vi.stubGlobal("Worker", FakeWorker);
    vi.resetModules();
    const { highlightElsewhere } = await import("../../../../web/code/highlight/highlight-elsewhere.ts");
    const first = highlightElsewhere("a", "ts");
    FakeWorker.started[0]?.onerror();
    expect(await first).toBeUndefined();
    expect(FakeWorker.started[0]?.isTerminated).toBe(true);
    const second = highlightElsewhere("b", "ts");
    const other = FakeWorker.started[1];
    expect(other?.requests).toMatchObject([{ text: "b", language: "ts" }]);
    const records = new Uint32Array([1]);
    other?.onmessage({ data: { id: other.requests[0]?.id ?? 0, records } });
    expect(await second).toBe(records);
  });

  it("responds without tokens if the browser does not allow a worker", async () => {
    vi.stubGlobal(
      "Worker",
      class {
        constructor() {
          throw new Error("SecurityError");
        }
      },
    );
    vi.resetModules();
    const { highlightElsewhere } = await import("../../../../web/code/highlight/highlight-elsewhere.ts");
    const records = highlightElsewhere("a", "ts");
    expect(await records).toBeUndefined();
  });

  it("responds without tokens if the highlighter throws or cannot be loaded", async () => {
    const failures = {
      throws: async () => () => {
        throw new Error("out of memory");
      },
      "cannot be loaded": async () => {
        throw new Error("not found");
      },
    };
    for (const [failure, loadHighlighter] of Object.entries(failures)) {
      vi.resetModules();
      vi.doMock("../../../../web/code/highlight/highlight.ts", () => ({ loadHighlighter }));
      const postMessage = vi.fn();
      vi.stubGlobal("postMessage", postMessage);
      vi.stubGlobal("onmessage", undefined);
      await import("../../../../web/code/highlight/highlight-worker.ts");
      const receive: unknown = Reflect.get(globalThis, "onmessage");
      if (typeof receive !== "function") throw new Error("the worker receives no messages");
      await receive({ data: { id: 1, text: "a", language: "ts" } });
      expect(postMessage, failure).toHaveBeenCalledWith({ id: 1, records: undefined }, []);
    }
  });
});
