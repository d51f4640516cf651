import { expect, it } from "vitest";
import { openBrowser } from "../../../src/cli/review/open-browser.ts";

it("says of a browser that cannot be started that the address is to be opened by hand", async () => {
  const said = await new Promise<string>((tell) => {
    void openBrowser({ how: "program", program: "/nowhere/browser" }, "http://localhost:1", tell);
  });
  expect(said).toContain("/nowhere/browser");
  expect(said).toContain("open the address yourself");
});
