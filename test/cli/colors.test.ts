import { describe, expect, it } from "vitest";
import { addColor, isColorWanted } from "../../src/cli/colors.ts";

describe("colors", () => {
  const terminal = { isTTY: true };

  it.each([
    [terminal, {}, true],
    [{}, {}, false],
    [terminal, { NO_COLOR: "1" }, false],
    [terminal, { NO_COLOR: "" }, true],
    [terminal, { TERM: "dumb" }, false],
    [{}, { FORCE_COLOR: "1" }, true],
    [terminal, { FORCE_COLOR: "0" }, false],
    [{}, { FORCE_COLOR: "1", NO_COLOR: "1" }, true],
  ])("of %j with %j: %s", (stream, environment, wanted) => {
    expect(isColorWanted(stream, environment)).toBe(wanted);
  });

  it("mark the lines of a diff", () => {
    expect(addColor("--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same", "diff")).toBe(
      "\x1b[1m--- a\x1b[0m\n\x1b[1m+++ b\x1b[0m\n\x1b[36m@@ -1 +1 @@\x1b[0m\n\x1b[31m-old\x1b[0m\n\x1b[32m+new\x1b[0m\n same",
    );
  });

  it("mark only the state of a finding", () => {
    expect(addColor("git      ok       2.43", "report")).toBe("git      \x1b[32mok\x1b[0m       2.43");
    expect(addColor("a port   BROKEN   in use, ok", "report")).toBe(
      "a port   \x1b[31mBROKEN\x1b[0m   in use, ok",
    );
    expect(addColor("- git: install it", "report")).toBe("- git: install it");
  });

  it("mark the beginning of an error", () => {
    expect(addColor("sallyport: no [usage]", "error")).toBe("\x1b[31msallyport:\x1b[0m no [usage]");
  });
});
