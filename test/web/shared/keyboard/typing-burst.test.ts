import { describe, expect, it } from "vitest";
import {
  type KeyKind,
  NO_BURST,
  typeKey,
  WORD_GAP_MS,
} from "../../../../web/shared/keyboard/typing-burst.ts";

const KINDS: Readonly<Record<string, KeyKind>> = {
  j: "move",
  k: "move",
  n: "move",
  " ": "move",
  c: "write",
  a: "dialog",
  x: "dialog",
  o: "guarded",
  e: "guarded",
  d: "guarded",
};

/** Types a text with a pause before each key; what ran, what waits, and the sentence that was recognized. */
function type(text: string, gap = 60) {
  const ran: string[] = [];
  let burst = NO_BURST;
  let at = 1_000;
  for (const printed of text) {
    at += gap;
    const step = typeKey(burst, { printed, name: printed, kind: KINDS[printed] }, at);
    ran.push(...step.run);
    burst = step.burst;
    if (step.typed !== undefined) return { ran, held: burst.held, typed: step.typed };
  }
  return { ran, held: burst.held, typed: undefined };
}

describe("a burst of keys", () => {
  it("is a sentence from its first letter on, and runs nothing that changes anything", () => {
    expect(type("that is wrong")).toEqual({ ran: [], held: [], typed: "th" });
    expect(type("And this")).toEqual({ ran: [], held: [], typed: "An" });
    expect(type("edit the file")).toEqual({ ran: [], held: [], typed: "ed" });
    expect(type("no idea")).toEqual({ ran: ["n"], held: [], typed: "no " });
    expect(type("oops")).toEqual({ ran: [], held: [], typed: "oop" });
    expect(type("nax")).toEqual({ ran: ["n"], held: [], typed: "na" });
  });

  it("opens the dialog of a first letter at once, and knows the sentence by the second", () => {
    expect(type("a")).toEqual({ ran: ["a"], held: [], typed: undefined });
    expect(type("a test")).toEqual({ ran: ["a"], held: [], typed: "a " });
  });

  it("runs commands one after the other that move, and the one that opens a field", () => {
    expect(type("jjkc", 5)).toEqual({ ran: ["j", "j", "k", "c"], held: [], typed: undefined });
    expect(type("jja", 5)).toEqual({ ran: ["j", "j", "a"], held: [], typed: undefined });
  });

  it("has a command wait that changes something, and runs it before the next when no word comes of it", () => {
    expect(type("o")).toEqual({ ran: [], held: ["o"], typed: undefined });
    expect(type("ooo")).toEqual({ ran: [], held: ["o", "o", "o"], typed: undefined });
    expect(type("djj")).toEqual({ ran: ["d", "j", "j"], held: [], typed: undefined });
    expect(type("o]", 5).ran).toEqual(["o"]);
    expect(type("od", WORD_GAP_MS + 1)).toEqual({ ran: ["o"], held: ["d"], typed: undefined });
  });
});
