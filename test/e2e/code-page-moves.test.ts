import { describe, expect, it } from "vitest";
import { launchBrowserForFile } from "../support/browser.ts";
import { numberCell, openCodeReview } from "../support/code-review-page.ts";
import { testRepository } from "../support/test-repository.ts";

const browser = await launchBrowserForFile();

const helper = Array.from({ length: 8 }, (_, index) => `  const part${index} = formatPart(input, ${index});`);
const filler = (name: string) => Array.from({ length: 60 }, (_, index) => `${name}(${index});`);

describe("moved lines", () => {
  it("are linked to their other end, with the words that were edited", async () => {
    const repository = await testRepository({
      "a.ts": `${[...filler("one"), ...helper].join("\n")}\n`,
      "b.ts": `${filler("two").join("\n")}\n`,
    });
    const moved = helper.map((line) => line.replace("formatPart(input, 5)", "renderPart(input, 5)"));
    await repository.write({
      "a.ts": `${filler("one").join("\n")}\n`,
      "b.ts": `${[...moved, ...filler("two")].join("\n")}\n`,
    });
    const { page, child, errors } = await openCodeReview(browser, repository, { height: 500 });
    const link = page.getByRole("button", { name: "Moved to b.ts, line 1" });
    await link.waitFor();
    const away = page.locator('[data-path="a.ts"] .code.removed.moved');
    await expect.poll(() => away.count()).toBe(8);
    await expect.poll(() => away.locator(".word").allInnerTexts()).toEqual(["formatPart"]);

    await link.click();
    await expect.poll(() => page.locator(".row-cursor .num.cursor").getAttribute("data-line")).toBe("1");
    const here = page.locator('[data-path="b.ts"] .code.added.moved');
    await expect.poll(() => here.locator(".word").allInnerTexts()).toEqual(["renderPart"]);
    expect(await numberCell(page, "b.ts", "new", 1).innerText()).toContain("moved");
    await page.keyboard.press("G");
    await expect.poll(() => page.locator(".row-cursor .num.cursor").getAttribute("data-line")).toBe("61");
    expect(errors).toEqual([]);
    child.kill("SIGTERM");
  });
});
