import { describe, expect, it } from "vitest";
import {
  type KeyKind,
  NO_BURST,
  typeKey,
  typeKeyInField,
  WORD_GAP_MS,
} from "../../../../web/shared/keyboard/typing-burst.ts";

const KINDS: Readonly<Record<string, KeyKind>> = {
  j: "move",
  k: "move",
  n: "move",
  " ": "move",
  c: "write",
  i: "write",
  a: "dialog",
  x: "dialog",
  o: "guarded",
  e: "guarded",
  d: "guarded",
};

/**
 * Types a text with a pause before each key. Returns the commands that ran, the pending ones, and the recognized
 * sentence.
 */
function type(text: string, gap = 60) {
  const ran: string[] = [];
  let burst = NO_BURST;
  let at = 1_000;
  for (const printed of text) {
    at += gap;
    const step = typeKey(burst, { printed, name: printed, kind: KINDS[printed] }, at);
    ran.push(...step.run);
    burst = step.burst;
    if (step.typed !== undefined) return { ran, pending: burst.pending, typed: step.typed };
  }
  return { ran, pending: burst.pending, typed: undefined };
}

describe("a burst of keys", () => {
  it("is text from its first letter and runs no command that changes something", () => {
    expect(type("that is wrong")).toEqual({ ran: [], pending: [], typed: "th" });
    expect(type("And this")).toEqual({ ran: [], pending: [], typed: "An" });
    expect(type("edit the file")).toEqual({ ran: [], pending: [], typed: "ed" });
    expect(type("no idea")).toEqual({ ran: ["n"], pending: [], typed: "no " });
    expect(type("oops")).toEqual({ ran: [], pending: [], typed: "oop" });
    expect(type("nax")).toEqual({ ran: ["n"], pending: [], typed: "na" });
  });

  it("opens the dialog of the first letter at once, and detects text by the second", () => {
    expect(type("a")).toEqual({ ran: ["a"], pending: [], typed: undefined });
    expect(type("a test")).toEqual({ ran: ["a"], pending: [], typed: "a " });
  });

  it("runs commands that move, and the one that opens a field", () => {
    expect(type("jjkc", 5)).toEqual({ ran: ["j", "j", "k", "c"], pending: [], typed: undefined });
    expect(type("jja", 5)).toEqual({ ran: ["j", "j", "a"], pending: [], typed: undefined });
  });

  it("delays a command that changes something, and runs it before the next if no text follows", () => {
    expect(type("o")).toEqual({ ran: [], pending: ["o"], typed: undefined });
    expect(type("ooo")).toEqual({ ran: [], pending: ["o", "o", "o"], typed: undefined });
    expect(type("djj")).toEqual({ ran: ["d", "j", "j"], pending: [], typed: undefined });
    expect(type("o]", 5).ran).toEqual(["o"]);
    expect(type("od", WORD_GAP_MS + 1)).toEqual({ ran: ["o"], pending: ["d"], typed: undefined });
  });
});

describe("keys in a field that a command has just opened", () => {
  const PATHS = ["src/history.ts", "notes.md"];
  const finds = (search: string) =>
    PATHS.some((path) => search.split(" ").every((word) => path.includes(word)));

  /** Types commands, and the rest into the field that the last command opened. */
  function typeOn(commands: string, rest: string, gap = 60) {
    let burst = NO_BURST;
    let at = 1_000;
    for (const printed of commands) {
      at += 60;
      burst = typeKey(
        burst,
        { printed, name: printed, kind: printed === "t" ? "search" : KINDS[printed] },
        at,
      ).burst;
    }
    for (const printed of rest) {
      at += gap;
      const step = typeKeyInField(burst, printed, at, finds);
      if (step.typed !== undefined) return step.typed;
      burst = step.burst;
    }
    return undefined;
  }

  it("become text with the command's letter if they continue a word", () => {
    expect(typeOn("c", "an you")).toBe("ca");
    expect(typeOn("ki", "nd of")).toBe("kin");
    expect(typeOn("c", " is fast")).toBe("c ");
    expect(typeOn("i", "18n")).toBe("i1");
  });

  it("are the comment alone after a capital letter, a pause or keys that only move", () => {
    expect(typeOn("c", "Why not?")).toBeUndefined();
    expect(typeOn("c", "why not?", WORD_GAP_MS + 1)).toBeUndefined();
    expect(typeOn("jjc", "why not?")).toBeUndefined();
    expect(typeOn("jc", "why not?")).toBeUndefined();
  });

  it("become text in a search once several words find nothing", () => {
    expect(typeOn("t", "his is")).toBeUndefined();
    expect(typeOn("t", "his is wrong")).toBe("this is w");
    expect(typeOn("t", "wo of them")).toBe("two ");
    expect(typeOn("t", "story")).toBeUndefined();
    expect(typeOn("t", "src hist")).toBeUndefined();
    expect(typeOn("t", "ell him", WORD_GAP_MS + 1)).toBeUndefined();
  });
});
