import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, openReview } from "../support/browser.ts";
import { hookEvent, makeHomeForEachTest, type RunningReview, startReview } from "../support/plan-review.ts";

const browser = await launchBrowserForFile();
// Each test has its own home directory, because the next test would offer unsent comments.
const home = makeHomeForEachTest();

const paragraph = (index: number) => `Paragraph ${index}: five comments each on some words of this sentence.`;
/** A plan with five places to comment on in each paragraph. */
const planFor = (comments: number) =>
  `# A long plan\n\n${Array.from({ length: comments / 5 }, (_, index) => paragraph(index)).join("\n\n")}\n`;

/** Starts a review whose draft has many comments, and opens its page. */
async function openWith(comments: number): Promise<{ review: RunningReview; page: Page; errors: string[] }> {
  const plan = planFor(comments);
  const review = await startReview(home, hookEvent(plan, home.path));
  const { planId, sessionId } = await (await fetch(`${review.url}/api/plan`)).json();
  const annotations = Array.from({ length: comments }, (_, index) => {
    const at = Math.floor(index / 5);
    const start = plan.indexOf(`${paragraph(at)}\n`) + (index % 5) * 9;
    const [end, line] = [start + 8, 3 + at * 2];
    const quote = plan.slice(start, end);
    return {
      id: `c${index}`,
      type: "comment",
      text: `Comment number ${index}.`,
      createdAt: new Date(1_700_000_000_000 + index).toISOString(),
      anchor: { start, end, startLine: line, endLine: line, quote, prefix: "", suffix: "" },
    };
  });
  const content = { annotations, note: "", session: sessionId };
  const saved = await fetch(`${review.url}/api/draft`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ generation: 1, planId, content }),
  });
  expect(saved.status).toBe(200);
  const { page, errors } = await openReview(browser, review.url);
  await page.locator(".sidebar > .cards > .card").first().waitFor();
  return { review, page, errors };
}

const cards = (page: Page) => page.locator(".sidebar > .cards > .card");
const positions = (page: Page) =>
  cards(page).evaluateAll((all) => all.map((card) => Number(card.getAttribute("aria-posinset"))));

describe("a plan with 10,000 comments", () => {
  it("has only the cards near the window, and sends all comments", { timeout: 480_000 }, async () => {
    const { review, page, errors } = await openWith(10_000);
    expect(await cards(page).count()).toBeLessThan(100);
    expect(await cards(page).first().getAttribute("aria-setsize")).toBe("10000");
    expect((await positions(page))[0]).toBe(1);
    // Blocks are described without the cards, which are not in the document.
    const block = page.locator("[data-annotated]").last();
    expect(await block.getAttribute("aria-describedby")).toBeNull();
    expect(await block.getAttribute("aria-description")).toContain("Comment: Comment number 9995.");

    await page.keyboard.press("g");
    await page.keyboard.type("Typed among ten thousand");
    expect(await page.locator(".composer textarea").inputValue()).toBe("Typed among ten thousand");
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => cards(page).first().getAttribute("aria-setsize")).toBe("10001");
    await cards(page).getByText("Typed among ten thousand").waitFor();

    // The general comment is the first, and the one before the first is the last.
    await page.keyboard.press("P");
    const last = page.locator('.card-active[data-item="c9999"]');
    await last.waitFor();
    await expect.poll(() => last.getAttribute("aria-posinset")).toBe("10001");
    await expect.poll(() => isInWindow(page, '.card-active[data-item="c9999"]')).toBe(true);
    await expect.poll(() => isInWindow(page, "[data-annotated]:last-of-type")).toBe(true);
    expect(await cards(page).count()).toBeLessThan(100);
    const listed = await positions(page);
    expect(listed).toEqual(listed.map((_, index) => (listed[0] ?? 0) + index));
    // The highlighted ranges are near the window as well.
    const painted = () => page.evaluate(() => CSS.highlights.get("annotation-comment")?.size ?? 0);
    await expect.poll(painted).toBeLessThan(1_000);
    expect(await painted()).toBeGreaterThan(0);

    await page.keyboard.press("P");
    await page.locator('.card-active[data-item="c9998"]').waitFor();
    await page.keyboard.press("e");
    await page.getByRole("region", { name: "Edit comment" }).waitFor();
    await page.keyboard.type(" Reworded");
    await page.keyboard.press("Control+Enter");
    await page.locator(".card-active", { hasText: "Comment number 9998. Reworded" }).waitFor();

    await page.keyboard.press("x");
    await page.locator("[data-irreversible][aria-disabled=false]").waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByRole("heading", { name: "Changes requested" }).waitFor();
    const { message } = JSON.parse((await review.ended).stdout).hookSpecificOutput.decision;
    expect(new Set(String(message).match(/Comment number \d+\./g)).size).toBe(10_000);
    expect(message).toContain("Typed among ten thousand");
    expect(message).toContain("Comment number 9998. Reworded");
    expect(errors).toEqual([]);

    const next = await startReview(home, hookEvent(`${planFor(10_000)}\nOne more.\n`, home.path));
    const second = await openReview(browser, next.url);
    const past = second.page.locator(".last-round .card");
    await past.first().waitFor();
    expect(await past.first().getAttribute("aria-setsize")).toBe("10001");
    expect(await past.count()).toBeLessThan(100);
    next.child.kill("SIGTERM");
    await next.ended;
  });
});

/** Returns whether the first element of a selector is at least partly in the window. */
function isInWindow(page: Page, selector: string): Promise<boolean> {
  return page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return bottom > 0 && top < innerHeight;
    });
}

describe("a plan with 300 comments", () => {
  it("follows the scrolling of the list, and is printed with all of them", async () => {
    const { review, page, errors } = await openWith(300);
    expect(await cards(page).count()).toBeLessThan(100);
    const sidebar = page.locator(".sidebar");
    for (const part of [0.3, 0.9, 1, 0.1]) {
      await sidebar.evaluate((element, at) => {
        element.scrollTop = element.scrollHeight * at;
      }, part);
      await expect
        .poll(() =>
          // The middle of the sidebar shows a card, not the space of cards that are not rendered.
          sidebar.evaluate((element) => {
            const { left, width, top, height } = element.getBoundingClientRect();
            const at = document.elementFromPoint(left + width / 2, top + height / 2);
            return at?.closest(".card, .cards")?.classList.contains("virtual-list") === false;
          }),
        )
        .toBe(true);
    }
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    expect(await cards(page).count()).toBe(300);
    expect(await page.evaluate(() => CSS.highlights.get("annotation-comment")?.size)).toBe(300);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await expect.poll(() => cards(page).count()).toBeLessThan(100);
    expect(errors).toEqual([]);
    review.child.kill("SIGTERM");
    await review.ended;
  });

  it("lists few comments whole, with their cards as the descriptions of blocks", async () => {
    const { review, page } = await openWith(100);
    expect(await cards(page).count()).toBe(100);
    const block = page.locator("[data-annotated]").last();
    expect(await block.getAttribute("aria-describedby")).toBe(
      "annotation-c95 annotation-c96 annotation-c97 annotation-c98 annotation-c99",
    );
    expect(await block.getAttribute("aria-description")).toBeNull();
    review.child.kill("SIGTERM");
    await review.ended;
  });
});
