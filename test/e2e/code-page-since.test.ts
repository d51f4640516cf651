import { describe, expect, it } from "vitest";
import { launchBrowserForFile } from "../support/browser.ts";
import { openCodeReview, sendFeedback, writeComment } from "../support/code-review-page.ts";
import { plainPng } from "../support/images.ts";
import { testRepository } from "../support/test-repository.ts";

const browser = await launchBrowserForFile();

const text = (changes: Record<number, string>) =>
  `${Array.from({ length: 60 }, (_, index) => changes[index + 1] ?? `line ${index + 1}`).join("\n")}\n`;

describe("the changes since the last feedback", () => {
  it("do not show an image of the base as the one before", async () => {
    const repository = await testRepository({ "a.png": plainPng(20, 20, [200, 0, 0]), "b.txt": "b\n" });
    await repository.write({ "a.png": plainPng(20, 20, [0, 200, 0]), "b.txt": "changed\n" });
    const first = await openCodeReview(browser, repository);
    // The loaded images move the line below them.
    await first.page.getByText("Onion skin").waitFor();
    await writeComment(first.page, "b.txt", [1, 1], "Revert this");
    await sendFeedback(first.page);
    await first.ended;

    await repository.write({ "a.png": plainPng(20, 20, [0, 0, 200]), "b.txt": "b\n" });
    const { page, child } = await openCodeReview(browser, repository);
    const images = page.locator('[data-path="a.png"] img');
    await expect.poll(() => images.count()).toBe(2);
    await page.getByText("it is marked. 1 file is no longer in the diff.").waitFor();
    await page.keyboard.press("v");
    await page.getByText("The image at the time of your feedback is not stored.").waitFor();
    await expect
      .poll(() => images.evaluateAll((all) => all.map((image) => image.getAttribute("alt"))))
      .toEqual(["a.png after the change"]);
    child.kill("SIGTERM");
  });

  it("are shown alone, with the earlier comments at their lines, and lead back to the whole diff", async () => {
    const repository = await testRepository({ "a.txt": text({}), "b.txt": "b\n" });
    await repository.write({ "a.txt": text({ 10: "ten", 40: "forty" }), "b.txt": "changed\n" });
    const first = await openCodeReview(browser, repository);
    await writeComment(first.page, "a.txt", [40, 40], "Spell this out");
    await writeComment(first.page, "a.txt", [10, 10], "Is this right?");
    await sendFeedback(first.page);
    await first.ended;

    await repository.write({ "a.txt": text({ 10: "ten", 40: "forty, spelled out" }) });
    const { page, child, errors } = await openCodeReview(browser, repository);
    await page.getByRole("button", { name: "Show only these changes" }).click();
    await page.locator(".banner", { hasText: "since your feedback on round 1: 1 file" }).waitFor();
    await expect.poll(() => page.locator("section.file").count()).toBe(1);
    await expect.poll(() => page.locator(".code.removed").allInnerTexts()).toEqual(["forty"]);
    await expect.poll(() => page.locator(".code.added").allInnerTexts()).toEqual(["forty, spelled out"]);
    const earlier = page.locator(".comment-earlier");
    await expect.poll(() => earlier.count()).toBe(2);
    expect(await earlier.locator(".comment-position").allInnerTexts()).toEqual([
      expect.stringContaining("on line 10"),
      expect.stringContaining("on line 40"),
    ]);
    const states = (await earlier.locator(".comment-status").allInnerTexts()).sort();
    expect(states).toEqual(["lines unchanged since", "these lines have changed since"]);

    await writeComment(page, "a.txt", [40, 40], "Better");
    await page.keyboard.press("Control+Shift+Enter");
    await expect.poll(() => page.getByRole("dialog").locator("textarea").inputValue()).toContain("Better");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator("section.file").count()).toBe(2);
    await page.setViewportSize({ width: 360, height: 640 });
    const top = async (name: RegExp) =>
      (await page.locator(".header").getByRole("button", { name }).boundingBox())?.y;
    expect(await top(/^Send/)).toBe(await top(/^Approve/));
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.keyboard.press("v");
    await expect.poll(() => page.locator("section.file").count()).toBe(1);
    expect(errors).toEqual([]);
    child.kill("SIGTERM");
  });
});
