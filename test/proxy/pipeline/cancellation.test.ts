import { describe, expect, it } from "vitest";
import { Cancellation } from "../../../src/proxy/pipeline/client-response.ts";

describe("a cancellation", () => {
  it("calls each listener once, and no listener that was removed, also while aborting", () => {
    const cancellation = new Cancellation();
    const calls: string[] = [];
    const second = () => void calls.push("second");
    cancellation.addEventListener("abort", () => {
      calls.push("first");
      cancellation.removeEventListener("abort", second);
      cancellation.abort();
    });
    cancellation.addEventListener("abort", second);
    cancellation.addEventListener("abort", () => void calls.push("third"));
    const removed = () => void calls.push("removed");
    cancellation.addEventListener("abort", removed);
    cancellation.removeEventListener("abort", removed);
    expect(cancellation.aborted).toBe(false);
    cancellation.abort();
    cancellation.abort();
    expect(calls).toEqual(["first", "third"]);
    expect(cancellation.aborted).toBe(true);
  });
});
