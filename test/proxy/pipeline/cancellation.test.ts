import { describe, expect, it } from "vitest";
import { Cancellation } from "../../../src/proxy/pipeline/client-response.ts";

describe("a cancellation", () => {
  it("calls each listener once, also if listeners remove each other or abort again", () => {
    const cancellation = new Cancellation();
    const calls: string[] = [];
    const second = () => void calls.push("second");
    cancellation.addEventListener("abort", () => {
      calls.push("first");
      cancellation.removeEventListener("abort", second);
      cancellation.abort();
    });
    cancellation.addEventListener("abort", second);
    const removed = () => void calls.push("removed");
    cancellation.addEventListener("abort", removed);
    cancellation.removeEventListener("abort", removed);
    expect(cancellation.aborted).toBe(false);
    cancellation.abort();
    cancellation.abort();
    expect(calls).toEqual(["first", "second"]);
    expect(cancellation.aborted).toBe(true);
  });
});
