import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, openPage } from "../support/browser.ts";
import { changedRepository, openCodeReview } from "../support/code-review-page.ts";
import { isFirefox, printedPage } from "../support/firefox.ts";
import { startCommand } from "../support/spawned-command.ts";
import { testRepository } from "../support/test-repository.ts";

const browser = await launchBrowserForFile();

/** Returns the text that would be printed, and its height. */
async function onPaper(page: Page): Promise<{ readonly text: string; readonly height: number }> {
  if (isFirefox) return printedPage(page);
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  // Not its textContent: what is not displayed is not printed.
  const text = await page.evaluate(() => String(Reflect.get(document.body, "innerText")));
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await page.emulateMedia({ media: "screen" });
  return { text, height };
}

const pagesOf = (pdf: Buffer) => pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;

async function openLongDiff(count = 21_000) {
  const repository = await testRepository({ "long.txt": "old\n" });
  await repository.write({
    "long.txt": Array.from({ length: count }, (_, line) => `line ${line}\n`).join(""),
  });
  const review = await openCodeReview(browser, repository);
  await review.page.locator(".num[data-line]").first().waitFor();
  return review;
}

describe("printing a diff", () => {
  it("prints a short diff completely with its comments, without the page's controls", async () => {
    const review = await openCodeReview(browser, await changedRepository(), { height: 400 });
    const { page } = review;
    await page.locator(".num[data-line]").first().click();
    await page.locator(".comment-open textarea").fill("A word for paper");
    await page.keyboard.press("Control+Enter");
    await page.locator(".comment", { hasText: "A word for paper" }).waitFor();
    const { text } = await onPaper(page);
    for (const name of ["cart.ts", "new-name.ts", "spaces.ts", "fresh.ts", "notes.md", "package-lock.json"])
      expect(text).toContain(name);
    expect(text).toContain("A word for paper");
    expect(text).toContain("New words, <b>not bold</b>.");
    expect(text).not.toContain("the top of the diff");
    expect(text).not.toContain("Send feedback");
    review.child.kill("SIGTERM");
  });

  it("prints a diff of 3,000 lines completely", async () => {
    const { page, child } = await openLongDiff(3_000);
    const { text } = await onPaper(page);
    expect(text).toMatch(/line 2999$/m);
    expect(text).not.toContain("the top of the diff");
    child.kill("SIGTERM");
  });

  it("renders the whole diff for the browser's search, until the search of the page is closed", async () => {
    const { page, child } = await openLongDiff(3_000);
    await page.keyboard.press("Control+f");
    await page.locator(".find-bar input").waitFor();
    expect(await page.locator(".row").count()).toBeLessThan(300);
    await page.keyboard.press("Control+f");
    await expect.poll(() => page.locator(".row").count()).toBe(3_000);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".row").count()).toBeLessThan(300);
    child.kill("SIGTERM");
  });

  it("prints the top of a long diff, and states that", async () => {
    const { page, child } = await openLongDiff();
    const { text, height } = await onPaper(page);
    expect(text).toContain("This is the top of the diff: 1 of 1 files, the last one cut off.");
    expect(text).toContain("git diff HEAD");
    expect(text).toContain("line 1500\n");
    expect(text).not.toContain("line 20999");
    expect(height).toBeLessThan(45_000);
    child.kill("SIGTERM");
  });

  it("names no command above the top of a long patch", async () => {
    const lines = Array.from({ length: 21_000 }, (_, line) => `+line ${line}\n`).join("");
    const stdin = `--- /dev/null\n+++ b/long.txt\n@@ -0,0 +1,21000 @@\n${lines}`;
    const command = await startCommand(["review", "code", "--patch", "-", "--no-open"], { stdin });
    const { page } = await openPage(browser, await command.url());
    await page.locator(".num[data-line]").first().waitFor();
    const { text } = await onPaper(page);
    expect(text).toContain("This is the top of the diff: 1 of 1 files, the last one cut off.");
    expect(text).not.toContain("For the whole diff");
  });

  it("prints no empty pages, and leaves the page unchanged", async () => {
    const { page, child } = await openLongDiff();
    expect(pagesOf(await page.pdf())).toBeLessThan(100);
    await expect.poll(() => page.locator(".row").count()).toBeLessThan(300);
    child.kill("SIGTERM");
    // On a busy machine, Chromium takes longer for a document than the usual limit of a test.
  }, 180_000);
});
