import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { changedRepository, startCodeReview } from "../support/code-review-page.ts";
import { hookEvent, makeHome, startReview } from "../support/plan-review.ts";
import { samplePlan } from "../support/plans.ts";
import { KEYS, type Point, startWebKit, type WebKitPage } from "../support/webkit.ts";

let page: WebKitPage;
beforeAll(async () => {
  page = await startWebKit();
});
afterAll(() => page?.close());
beforeEach(async () => {
  // The previous page may ask before it is left.
  await page.run("window.onbeforeunload = null");
});

const text = (selector: string) =>
  page.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector) as Promise<string>;

/** Clicks the first match that contains the text, once there is one. */
async function click(selector: string, containing = ""): Promise<void> {
  const find = `return [...document.querySelectorAll(arguments[0])].filter((each) => each.textContent.includes(arguments[1])).map((each) => {
    each.scrollIntoView({ block: "center" });
    const { left, top, width, height } = each.getBoundingClientRect();
    return { x: left + Math.min(width / 2, 8), y: top + height / 2 };
  })[0] ?? null`;
  // Text that loads late moves what is below it.
  let before: unknown;
  await expect
    .poll(async () => {
      const last = JSON.stringify(before);
      before = await page.run(find, selector, containing);
      return before !== null && JSON.stringify(before) === last;
    })
    .toBe(true);
  await page.drag(before as Point);
}

/** Returns the first and last point of a text. */
const pointsOf = (wanted: string) =>
  page.run(
    `const walker = document.createTreeWalker(document.querySelector(".plan"), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.textContent.indexOf(arguments[0]);
      if (at === -1) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + arguments[0].length);
      const { left, right, top, height } = range.getBoundingClientRect();
      return [{ x: left + 1, y: top + height / 2 }, { x: right, y: top + height / 2 }];
    }`,
    wanted,
  ) as Promise<Point[]>;

describe("the plan page in WebKit", () => {
  it("sends a comment on selected text, and paints the text", async () => {
    const home = await makeHome();
    onTestFinished(() => home.remove());
    const review = await startReview(home, hookEvent(samplePlan, home.path));
    await page.open(review.url);
    await expect.poll(() => text(".page[data-view] .plan .markdown")).toContain("Every deploy");
    await page.drag(...(await pointsOf("Every deploy signs")));
    await expect.poll(() => page.run("return String(getSelection())")).toContain("Every deploy");
    await page.type("c");
    await expect.poll(() => page.run("return document.activeElement.localName")).toBe("textarea");
    await page.type("Everybody?");
    await page.press(KEYS.control, KEYS.enter);
    await expect.poll(() => text(".card")).toContain("Everybody?");
    expect(await page.run("return CSS.highlights.get('annotation-active')?.size")).toBe(1);
    await click("button", "Request changes");
    await click("dialog button", "Send to Claude Code");
    const { stdout } = await review.ended;
    const { decision } = JSON.parse(stdout).hookSpecificOutput;
    expect(decision).toMatchObject({ behavior: "deny", message: expect.stringContaining("> Everybody?") });
  });
});

describe("the code page in WebKit", () => {
  it("shows the diff and sends a comment on a line", async () => {
    const review = await startCodeReview(await changedRepository());
    await page.open(review.url);
    await expect.poll(() => text(".review:not(.prerendered)")).toContain("discount(price)");
    await click('[data-path="src/cart.ts"] .num[data-side="new"][data-line="30"]');
    await expect.poll(() => page.run("return document.activeElement.localName")).toBe("textarea");
    await page.type("Tested?");
    await page.press(KEYS.control, KEYS.enter);
    await expect.poll(() => text(".comment")).toContain("Tested?");
    await click("button", "Send feedback");
    await expect
      .poll(() => page.run("return document.querySelector('dialog textarea')?.value"))
      .toContain("Tested?");
    await click("dialog button", "Send feedback");
    const { stdout } = await review.ended;
    expect(stdout).toMatch(/Comment on line 30 \(new side\)\n\n```ts\n {2}const line30/);
  });
});
