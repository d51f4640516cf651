import { describe, expect, it } from "vitest";
import { launchBrowserForFile } from "../support/browser.ts";
import { openCodeReview } from "../support/code-review-page.ts";
import { testRepository } from "../support/test-repository.ts";

const browser = await launchBrowserForFile();

const filler = Array.from({ length: 60 }, (_, index) => `call${index}();`).join("\n");
const source = (body: string) =>
  `export function total(items) {\n  return items;\n}\n${filler}\nclass Cart {\n  sum() {\n    ${body}\n  }\n}\n`;

describe("symbols", () => {
  it("are listed below their files, and lead to declarations and uses, also between the hunks", async () => {
    const repository = await testRepository({ "cart.ts": source("return 0;") });
    await repository.write({ "cart.ts": source("return total(this.items);") });
    const { page, child, errors } = await openCodeReview(browser, repository, { width: 1300, height: 700 });
    await page.keyboard.press("S");
    const changed = page.getByRole("button", { name: "method Cart.sum, changed" });
    await changed.click();
    await expect.poll(() => page.locator(".row-cursor .num.cursor").getAttribute("data-line")).toBe("66");

    // A double click selects a name.
    const line = page.locator('[data-path="cart.ts"] .code.added').first();
    await line.evaluate((element) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const at = node.textContent?.indexOf("total") ?? -1;
        if (at >= 0) getSelection()?.setBaseAndExtent(node, at, node, at + 5);
      }
    });
    await page.getByRole("button", { name: "References" }).click();
    const dialog = page.getByRole("dialog", { name: "total in this diff" });
    await expect
      .poll(() => dialog.getByRole("heading", { level: 3 }).allInnerTexts())
      .toEqual(["Declared (1)", "Used (1)"]);
    await dialog.getByRole("button", { name: /cart\.ts:1 / }).click();
    await expect.poll(() => page.locator(".row-cursor .num.cursor").getAttribute("data-line")).toBe("1");
    expect(errors).toEqual([]);
    child.kill("SIGTERM");
  });
});
