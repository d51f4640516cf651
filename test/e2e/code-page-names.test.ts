import { describe, expect, it } from "vitest";
import { launchBrowserForFile } from "../support/browser.ts";
import { openCodeReview, writeGeneralComment } from "../support/code-review-page.ts";
import { testRepository } from "../support/test-repository.ts";

const browser = await launchBrowserForFile();

/** Names of members that every JavaScript object inherits. A table of files must not treat them as entries. */
const NAMES = ["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__", "a.constructor"];

describe("the code review page", () => {
  it("shows files named like members of Object.prototype", async () => {
    const repository = await testRepository({ "a.txt": "a\n" });
    await repository.write(Object.fromEntries(NAMES.map((name) => [name, `the text of ${name}\n`])));
    const { page } = await openCodeReview(browser, repository);
    for (const name of NAMES) {
      const section = page.locator(`section[data-path="${name}"]`);
      await section.scrollIntoViewIfNeeded();
      await expect.poll(() => section.textContent()).toContain(`the text of ${name}`);
    }
    for (const name of NAMES)
      await page.getByRole("checkbox", { name: `Viewed ${name}`, exact: true }).check();
    await writeGeneralComment(page, "All of them are there.");
    await page.getByText("Draft saved").waitFor();
    await page.reload();
    await page.getByText(`${NAMES.length}/${NAMES.length} viewed`).waitFor();
  });

  it("shows both parts of a file that is no longer tracked", async () => {
    const repository = await testRepository({ "a.txt": "what was\n" });
    await repository.git("rm", "--quiet", "--cached", "a.txt");
    await repository.write({ "a.txt": "what is\n" });
    const { page } = await openCodeReview(browser, repository);
    const sections = page.locator('section[data-path="a.txt"]');
    await expect.poll(() => sections.allTextContents()).toHaveLength(2);
    await expect.poll(() => sections.nth(0).textContent()).toContain("what was");
    await expect.poll(() => sections.nth(1).textContent()).toContain("what is");
  });
});
