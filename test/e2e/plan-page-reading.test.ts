import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, openReview } from "../support/browser.ts";
import { hookEvent, makeHomeForFile, type RunningReview, startReview } from "../support/plan-review.ts";

const home = await makeHomeForFile();
const browser = await launchBrowserForFile();

async function end({ child, ended }: RunningReview): Promise<void> {
  child.kill("SIGTERM");
  await ended;
}

const long = `# Long\n\n${Array.from({ length: 120 }, (_, index) => `Block ${index} of the plan ${"which wraps at some width ".repeat(8)}.`).join("\n\n")}\n`;

/** Returns whether a text is in the window and not hidden by the header. */
async function isInWindow(page: Page, text: string): Promise<boolean> {
  return page.evaluate((wanted) => {
    const found = [...document.querySelectorAll(".plan p, .source-line, .cm-line")].find(({ textContent }) =>
      textContent?.includes(wanted),
    );
    const top = found?.getBoundingClientRect().top ?? -1;
    return top >= -2 && top < innerHeight * 0.6;
  }, text);
}

describe("a long plan", () => {
  it("keeps the reading position between source, editor and plan", async () => {
    const review = await startReview(home, hookEvent(long, home.path));
    const { page } = await openReview(browser, review.url);
    await page.getByText("Block 60 of").evaluate((element) => element.scrollIntoView({ block: "start" }));
    for (const [key, view] of [
      ["s", "source"],
      ["1", "plan"],
      ["E", "edit"],
    ] as const) {
      await page.keyboard.press(key);
      await page.locator(`.page[data-view="${view}"]`).waitFor();
      await expect.poll(() => isInWindow(page, "Block 60 of")).toBe(true);
    }
    const caretLine = Number(await page.locator(".cm-activeLineGutter").textContent());
    const wanted = long.slice(0, long.indexOf("Block 60 of")).split("\n").length;
    expect(Math.abs(caretLine - wanted)).toBeLessThanOrEqual(2);
    await page.keyboard.press("Escape");
    await page.locator('.page[data-view="plan"]').waitFor();
    await expect.poll(() => isInWindow(page, "Block 60 of")).toBe(true);
    await end(review);
  });

  it("moves by key from the reading position, also after the cursor was scrolled away", async () => {
    const review = await startReview(home, hookEvent(long.replace("# Long", "# Longer"), home.path));
    const { page } = await openReview(browser, review.url);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    expect(await page.locator("[data-cursor]").textContent()).toContain("Block 0");
    await page.getByText("Block 60 of").evaluate((element) => element.scrollIntoView({ block: "start" }));
    const before = await page.evaluate(() => scrollY);
    await page.keyboard.press("j");
    expect(await page.locator("[data-cursor]").textContent()).toMatch(/Block (59|60|61) /);
    expect(Math.abs((await page.evaluate(() => scrollY)) - before)).toBeLessThan(300);
    await page.keyboard.press("k");
    expect(await page.locator("[data-cursor]").textContent()).toMatch(/Block (58|59|60) /);
    await end(review);
  });

  it("shows its edits with the badge, and reverts them", async () => {
    const review = await startReview(home, hookEvent("# Edited\n\nOld words here.\n", home.path));
    const { page } = await openReview(browser, review.url);
    await page.keyboard.press("E");
    await page.getByLabel("The plan's Markdown").fill("# Edited\n\nNew words here.\n");
    await page.locator(".badge-edited").click();
    await page.locator(".changes .plan ins", { hasText: "New" }).waitFor();
    await page.getByRole("button", { name: "Revert my edits" }).click();
    await page.getByText("Nothing has changed since").waitFor();
    expect(await page.locator(".badge-edited").count()).toBe(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator(".changes .plan ins", { hasText: "New" }).waitFor();
    await end(review);
  });
});

describe("HTML in plans", () => {
  it("folds details and breaks lines, accepts annotations in them, and runs no script", async () => {
    const plan =
      '# Folded\n\n<details>\n<summary>More about it</summary>\n\nInner *text* here.<br>Next line.\n\n</details>\n\n<details ontoggle="window.__ran=1" open>\nraw\n</details>\n';
    const review = await startReview(home, hookEvent(plan, home.path));
    const { page } = await openReview(browser, review.url);
    const details = page.locator(".plan details");
    expect(await details.count()).toBe(1);
    expect(await details.evaluate((element: HTMLDetailsElement) => element.open)).toBe(true);
    expect(await details.locator("br").count()).toBe(1);
    await details.locator("p").click();
    await page.keyboard.press("c");
    await page.locator(".composer textarea").fill("Why folded?");
    await page.keyboard.press("Control+Enter");
    expect(await page.locator(".card-lines").textContent()).toBe("line 6");
    await details.locator("summary").click();
    expect(await details.evaluate((element: HTMLDetailsElement) => element.open)).toBe(false);
    expect(await page.evaluate(() => "__ran" in window)).toBe(false);
    await end(review);
  });
});

describe("a window of 360 px with wide fonts", () => {
  it("fits the annotation types and the header", async () => {
    const review = await startReview(home, hookEvent("# Narrow\n\nText.\n", home.path));
    const { page } = await openReview(browser, review.url, { width: 360 });
    for (const font of ["Liberation Sans", "DejaVu Sans", "monospace"]) {
      await page.addStyleTag({ content: `:root { --font-text: "${font}" !important; }` });
      await page.locator(".plan p").click();
      await page.keyboard.press("c");
      const kinds = page.getByRole("radiogroup", { name: "Comment type" });
      await kinds.waitFor();
      expect(
        await kinds.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
      ).toBeLessThanOrEqual(0);
      await page.keyboard.press("Escape");
    }
    // At this width the project's name is available only to screen readers: it is one pixel wide.
    const boxes = await page.evaluate(() =>
      [...document.querySelectorAll(".header-title p > *")]
        .map((element) => element.getBoundingClientRect())
        .filter(({ width }) => width > 1)
        .map(({ left, right }) => [left, right]),
    );
    expect(boxes.length).toBeGreaterThan(0);
    for (const [index, [, right = 0]] of boxes.entries()) {
      expect(boxes[index + 1]?.[0] ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(right - 0.5);
    }
    await end(review);
  });
});
