import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, openReview, selectText } from "../support/browser.ts";
import {
  changedRepository,
  dragLines,
  numberCell,
  openCodeReview,
  writeComment,
} from "../support/code-review-page.ts";
import { hookEvent, makeHomeForFile, startReview } from "../support/plan-review.ts";
import { samplePlan } from "../support/plans.ts";
import { testRepository } from "../support/test-repository.ts";

const home = await makeHomeForFile();
const browser = await launchBrowserForFile();

const focusedText = (page: Page) =>
  page.evaluate(() =>
    document.activeElement instanceof HTMLTextAreaElement ? document.activeElement.value : undefined,
  );

describe("the editor of a comment on a file", () => {
  it.each(["the key", "the icon of the header"])(
    "comes into view and takes what is typed, by %s",
    async (by) => {
      const text = (first: string) =>
        [first, ...Array.from({ length: 300 }, (_, at) => `line ${at}`), ""].join("\n");
      const repository = await testRepository({ "long.txt": "x\n" });
      await repository.write({ "long.txt": text("new"), "z.txt": "z\n" });
      const { page, child, errors } = await openCodeReview(browser, repository);
      await page.locator(".code-text").first().waitFor();
      await page.mouse.move(800, 400);
      await page.mouse.wheel(0, 2_500);
      await expect.poll(() => page.locator("#diff").evaluate((diff) => diff.scrollTop)).toBe(2_500);
      if (by === "the key") {
        await page.keyboard.press("f");
      } else {
        await page.getByRole("button", { name: "Comment on long.txt as a whole" }).click();
      }
      await page.keyboard.type("File level: hello");
      expect(await focusedText(page)).toBe("File level: hello");
      const box = await page.locator(".comment-open").boundingBox();
      expect(box?.y).toBeGreaterThan(0);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(860);
      await page.keyboard.press("Escape");

      // Opening twice has the effect of opening once: an open empty editor is reused.
      await page.keyboard.press("f");
      await page.locator(".comment-open textarea").waitFor();
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      await page.keyboard.press("f");
      expect(await page.locator(".comment-open").count()).toBe(1);
      expect(errors).toEqual([]);
      child.kill("SIGTERM");
    },
  );
});

/** A text of 80 lines that all differ with another `end`. */
const longText = (end: string) => Array.from({ length: 80 }, (_, at) => `line ${at + 1}${end}\n`).join("");

describe("an editor whose comment becomes a suggestion", () => {
  it.each([
    ["one line", [9, 9], "click"],
    ["one line", [9, 9], "key"],
    ["more lines than fit", [2, 9], "click"],
    ["the last line of the diff", [80, 80], "click"],
  ] as const)("keeps Done in sight in a low window: %s", async (_what, [from, to], by) => {
    const repository = await testRepository({ "a.txt": longText("") });
    await repository.write({ "a.txt": longText("!") });
    const { page, child, errors } = await openCodeReview(browser, repository, { width: 1200, height: 420 });
    await page.locator(".code-text").first().waitFor();
    if (from > 20) await page.locator("#diff").evaluate((diff) => diff.scrollTo(0, diff.scrollHeight));
    await dragLines(page, "a.txt", "new", from, to);
    const editor = page.locator(".comment-open");
    await editor.locator("textarea").fill("Why");
    if (by === "click") await editor.getByText("Suggestion", { exact: true }).click();
    else await page.keyboard.press("Alt+2");
    await editor.locator(".suggestion-code").waitFor();
    // The status line covers the bottom of the window.
    await expect
      .poll(async () => {
        const frame = await page.locator("#diff").boundingBox();
        const done = await editor.getByRole("button", { name: "Done" }).boundingBox();
        if (!frame || !done) return "missing";
        const isInside = done.y >= frame.y && done.y + done.height <= frame.y + frame.height;
        return isInside ? "in sight" : `${done.y} to ${done.y + done.height} in ${frame.y + frame.height}`;
      })
      .toBe("in sight");
    expect(errors).toEqual([]);
    child.kill("SIGTERM");
  });

  it("does not pull the diff back when it comes near the window again", async () => {
    const repository = await testRepository({ "a.txt": longText("") });
    await repository.write({ "a.txt": longText("!") });
    const { page, child } = await openCodeReview(browser, repository, { width: 1200, height: 420 });
    await dragLines(page, "a.txt", "new", 1, 1);
    const editor = page.locator(".comment-open");
    await editor.locator("textarea").fill("Why");
    const diff = page.locator("#diff");
    const scrollTo = (top: number) => diff.evaluate((element, to) => element.scrollTo(0, to), top);
    await scrollTo(1_200);
    await editor.waitFor({ state: "detached" });
    await scrollTo(400);
    await editor.waitFor({ state: "attached" });
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    expect(await diff.evaluate((element) => element.scrollTop)).toBe(400);
    child.kill("SIGTERM");
  });
});

describe("Escape", () => {
  it("keeps the text on the plan page, and Discard can be undone", async () => {
    const review = await startReview(home, hookEvent(samplePlan, home.path));
    const { page } = await openReview(browser, review.url);
    const cards = page.locator(".cards > .card:not(.card-past)");
    await page.keyboard.press("g");
    await page.keyboard.type("Kept by Escape");
    await page.keyboard.press("Escape");
    expect(await cards.allTextContents()).toEqual([expect.stringContaining("Kept by Escape")]);

    // Opening and closing the editor without a change shows no message and changes nothing.
    await page.keyboard.press("e");
    await page.getByRole("region", { name: "Edit comment" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await page.locator(".toast").count()).toBe(0);

    await page.keyboard.press("e");
    await page.getByRole("region", { name: "Edit comment" }).waitFor();
    await page.keyboard.type(", and more");
    await page.getByRole("button", { name: "Discard", exact: true }).click();
    expect(await cards.allTextContents()).toEqual([expect.not.stringContaining("and more")]);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => focusedText(page)).toBe("Kept by Escape, and more");
    await page.keyboard.press("Escape");
    expect(await cards.allTextContents()).toEqual([expect.stringContaining("Kept by Escape, and more")]);
    review.child.kill("SIGTERM");
    await review.ended;
  });

  it("keeps the text on the code page, and Discard reverts what was written since", async () => {
    const { page, child } = await openCodeReview(browser, await changedRepository());
    await writeComment(page, "src/cart.ts", [30, 30], "First words");
    await page.getByRole("button", { name: "Edit this comment" }).click();
    await page.keyboard.type(", and more");
    await page.getByRole("button", { name: "Discard", exact: true }).click();
    const comment = page.locator(".comment-text");
    expect(await comment.allTextContents()).toEqual(["First words"]);
    await page.keyboard.press("u");
    await expect.poll(() => comment.allTextContents()).toEqual(["First words, and more"]);

    await numberCell(page, "src/cart.ts", "new", 29).click();
    await page.keyboard.type("Never mind");
    await page.getByRole("button", { name: "Discard", exact: true }).click();
    await expect.poll(() => comment.count()).toBe(1);
    await page.locator(".toast").last().getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => comment.count()).toBe(2);
    await numberCell(page, "src/cart.ts", "new", 29).click();
    await page.keyboard.type("Kept by Escape");
    await page.keyboard.press("Escape");
    await expect.poll(() => comment.count()).toBe(3);
    child.kill("SIGTERM");
  });
});

describe("an open annotation", () => {
  it("stays where it was begun when another one is opened", async () => {
    const review = await startReview(home, hookEvent(`${samplePlan}\nWandering.\n`, home.path));
    const { page } = await openReview(browser, review.url);
    await page.keyboard.press("g");
    await page.keyboard.type("General, half typed");
    await selectText(page, "Every deploy");
    await page.keyboard.type("On the deploys");
    await selectText(page, "single point of failure");
    await page.getByRole("toolbar").getByRole("button", { name: "Concern" }).click();
    await page.keyboard.type("On the failure");
    await page.keyboard.press("Control+Enter");
    const cards = page.locator(".cards > .card:not(.card-past)");
    expect(await cards.count()).toBe(3);
    expect(await cards.nth(0).textContent()).toContain("General, half typed");
    expect(await cards.nth(1).textContent()).toMatch(/Every deploy.*On the deploys/);
    expect(await cards.nth(2).textContent()).toMatch(/single point of failure.*On the failure/);
    review.child.kill("SIGTERM");
    await review.ended;
  });
});

describe("a letter typed on a selection", () => {
  it("is text if more follows, else the command", async () => {
    const review = await startReview(home, hookEvent(`${samplePlan}\nLetters.\n`, home.path));
    const { page } = await openReview(browser, review.url);
    await selectText(page, "Every deploy");
    await page.keyboard.type("delete this");
    await page.keyboard.press("Escape");
    await selectText(page, "single point of failure");
    await page.keyboard.press("d");
    await expect.poll(() => page.locator(".card.tone-delete").count()).toBe(1);
    expect(await page.locator(".composer").count()).toBe(0);
    await selectText(page, "Redis becomes");
    await page.keyboard.press("r");
    await page.getByLabel("Change it to").waitFor();
    expect(await focusedText(page)).toContain("Redis becomes");
    await page.keyboard.press("Escape");
    await selectText(page, "Redis becomes");
    await page.keyboard.press("c");
    await page.keyboard.type("Why Redis?");
    await page.keyboard.press("Escape");
    const texts = await page.locator(".card:not(.card-past) .card-body").allTextContents();
    expect(texts.filter((text) => text.includes("delete this"))).toHaveLength(1);
    expect(texts.filter((text) => text.endsWith("Why Redis?") && !text.includes("cWhy"))).toHaveLength(1);
    review.child.kill("SIGTERM");
    await review.ended;
  });
});

describe("text selected in the diff", () => {
  it("selects its lines for a comment by typing, by a key, or by the buttons beside it", async () => {
    const { page, child } = await openCodeReview(browser, await changedRepository());
    await page.locator(".code-text").first().waitFor();
    const drag = async (from: number, to: number) => {
      const box = async (line: number) => {
        const number = numberCell(page, "src/cart.ts", "new", line);
        return number.evaluate((cell) => {
          const { left, top, height } = (cell.nextElementSibling ?? cell).getBoundingClientRect();
          return { x: left + 60, y: top + height / 2 };
        });
      };
      const [start, end] = [await box(from), await box(to)];
      await page.mouse.move(start.x, start.y);
      await page.mouse.down();
      await page.mouse.move(end.x, end.y, { steps: 5 });
      await page.mouse.up();
    };
    const positions = page.locator(".comment .comment-position");
    await drag(28, 31);
    await page.keyboard.type("Typed on four lines");
    await expect.poll(() => positions.allTextContents()).toEqual(["lines 28-31"]);
    await page.keyboard.press("Escape");
    await drag(28, 29);
    await page.keyboard.press("c");
    await expect.poll(() => positions.allTextContents()).toEqual(["lines 28-29", "lines 28-31"]);
    await expect.poll(() => focusedText(page)).toBe("");
    await page.keyboard.press("Escape");
    await drag(29, 30);
    await page
      .getByRole("toolbar", { name: "Comment on the selected lines" })
      .getByRole("button", { name: "Suggest" })
      .click();
    await page.locator(".suggestion-code").waitFor();
    await expect.poll(() => positions.allTextContents()).toContain("lines 29-30");
    await page.keyboard.press("Escape");

    // The button beside the number appears wherever the pointer is in the row.
    await page.locator('[data-path="src/cart.ts"] .code.added').first().hover();
    const sign = page.locator('[data-path="src/cart.ts"] .num.added').first();
    expect(await sign.evaluate((cell) => getComputedStyle(cell, "::before").content)).toContain("+");
    child.kill("SIGTERM");
  });
});

describe("a file chosen in the tree", () => {
  it("is marked for a moment, also if it cannot be scrolled to the top", async () => {
    const { page, child } = await openCodeReview(browser, await changedRepository());
    await page.locator(".code-text").first().waitFor();
    const last = page.locator(".tree-file").last();
    await last.click();
    const marked = () =>
      page.locator(".file-header").evaluateAll((headers) => {
        const found = headers.filter((header) => header.getAnimations().length > 0);
        return found.map((header) => header.closest("[data-path]")?.getAttribute("data-path"));
      });
    await expect.poll(marked).toHaveLength(1);
    child.kill("SIGTERM");
  });
});
