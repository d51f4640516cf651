import { describe, expect, it } from "vitest";
import { commandBefore, isLoneCommand } from "../../../../web/shared/keyboard/first-key.ts";

describe("the first letter of a comment that was begun by typing", () => {
  it("was a command if no sentence begins like this", () => {
    expect(commandBefore("cWhy")).toEqual({ type: "comment", text: "Why" });
    expect(commandBefore("cI ")).toEqual({ type: "comment", text: "I " });
    expect(commandBefore("!What")).toEqual({ type: "concern", text: "What" });
    expect(isLoneCommand("c")).toBe(true);
  });

  it.each([
    "can this be null?",
    "c",
    "cW",
    "cURL is missing",
    "CI fails",
    "!important is gone",
    "Why?",
    "!=",
    "",
  ])("belongs to %j", (text) => expect(commandBefore(text)).toBeUndefined());
});
