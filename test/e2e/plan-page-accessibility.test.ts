import { describe, expect, it } from "vitest";
import { violations } from "../support/accessibility.ts";
import { launchBrowserForFile, newContext, openReview, selectText } from "../support/browser.ts";
import { hookEvent, makeHomeForFile, startReview } from "../support/plan-review.ts";
import { samplePlan } from "../support/plans.ts";

const home = await makeHomeForFile();
const browser = await launchBrowserForFile();

describe.each(["light", "dark"] as const)("axe finds no violation in the %s plan page", (theme) => {
  it("in any of its states", async () => {
    const plan = `${samplePlan}\nFor ${theme} eyes.\n`;
    const review = await startReview(home, hookEvent(plan, home.path));
    const { page } = await openReview(browser, review.url, { theme });
    const look = async (state: string) => expect(await violations(page), state).toEqual([]);
    await page.locator(".hl-keyword").first().waitFor();
    await look("just opened");

    await selectText(page, "Every deploy");
    await look("with the toolbar");
    await page.getByRole("toolbar").getByRole("button", { name: "Replace" }).click();
    await look("while a note is written");
    await page.keyboard.type(", changed");
    await page.keyboard.press("Control+Enter");
    await selectText(page, "Redis becomes");
    await page.keyboard.press("!");
    await page.keyboard.type("A concern");
    await page.keyboard.press("Control+Enter");
    await page.keyboard.press("j");
    await look("with notes and a cursor");

    for (const key of ["x", "a", "?"]) {
      await page.keyboard.press(key);
      await page.getByRole("dialog").waitFor();
      await look(`dialog of ${key}`);
      await page.keyboard.press("Escape");
    }
    await page.keyboard.press("s");
    // Letters without a pause are typed text.
    await page.locator(".source").waitFor();
    await look("source");
    await page.keyboard.press("E");
    await page.locator(".cm-line").first().waitFor();
    await look("editor");
    await page.keyboard.press("Control+f");
    await page.locator(".cm-search").waitFor();
    await look("search in the editor");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "More" }).click();
    await look("menu");
    await page.getByRole("menuitem", { name: "Share …" }).click();
    await look("share");
    await page.keyboard.press("Escape");

    await page.keyboard.press("x");
    await page.getByRole("button", { name: /^Send to/ }).click();
    await page.getByRole("heading", { name: "Changes requested" }).waitFor();
    await look("final screen");
    await review.ended;
  });

  it("in the second round", async () => {
    const first = await startReview(home, hookEvent(samplePlan, home.path));
    const headers = { "content-type": "application/json" };
    await fetch(new URL("/api/deny", first.url), { method: "POST", headers, body: "{}" });
    await first.ended;
    const review = await startReview(
      home,
      hookEvent(`${samplePlan.replace("process memory", "one process")}`, home.path),
    );
    const { page } = await openReview(browser, review.url, { theme, width: 1000 });
    await page.getByRole("button", { name: "Show changes" }).click();
    expect(await violations(page), "rendered").toEqual([]);
    await page.getByText("Raw diff").click();
    expect(await violations(page), "raw").toEqual([]);
    review.child.kill("SIGTERM");
    await review.ended;
  });
});

describe("the plan page on a phone", () => {
  const wide = `| ${"column |".repeat(9)}\n| ${"--- |".repeat(9)}\n| ${"a_word_that_is_long |".repeat(9)}\n`;

  it("is as wide as the screen, and its scrolling parts can be scrolled by keyboard", async () => {
    const review = await startReview(home, hookEvent(`${samplePlan}\n${wide}`, home.path));
    const context = await newContext(browser, {
      viewport: { width: 360, height: 640 },
      isMobile: true,
      hasTouch: true,
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    await page.goto(review.url);
    await page.locator(".page[data-view] .plan .markdown > *").first().waitFor();
    const widest = () => page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
    await page.getByRole("group", { name: "Table, wider than the page" }).waitFor();
    expect(await page.locator(".table-scroll").count()).toBe(2);
    // The plan's name and the tools share a row.
    const [title, tools] = await Promise.all([
      page.locator(".header-title").boundingBox(),
      page.locator(".header-tools").boundingBox(),
    ]);
    expect((title?.x ?? 0) + (title?.width ?? 0)).toBeLessThanOrEqual(tools?.x ?? 0);
    expect(await violations(page)).toEqual([]);
    await page.locator(".plan p").first().tap();
    // The browser sends a click after the tap.
    await page.locator('.plan p[data-cursor="true"]').waitFor();
    await page.keyboard.press("c");
    await page.getByRole("region", { name: "New comment" }).waitFor();
    expect(await widest()).toEqual([360, 360]);
    const kinds = page.getByRole("radiogroup", { name: "Comment type" });
    expect(await kinds.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await context.close();
    review.child.kill("SIGTERM");
    await review.ended;
  });

  it("shows the round and the edit completely beside the plan's name", async () => {
    const first = await startReview(home, hookEvent(`${samplePlan}\nBadges.\n`, home.path));
    await fetch(new URL("/api/deny", first.url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ feedback: "Once more" }),
    });
    await first.ended;
    const review = await startReview(home, hookEvent(`${samplePlan}\nBadges, again.\n`, home.path));
    const { page } = await openReview(browser, review.url, { width: 360, height: 740 });
    await page.getByText("Edit", { exact: true }).click();
    await page.getByLabel("The plan's Markdown").press("Control+End");
    await page.keyboard.type("More.");
    await page.getByText("Plan", { exact: true }).first().click();
    const badges = page.locator(".header-title .badge");
    await expect
      .poll(() => badges.allTextContents())
      .toEqual([expect.stringMatching(/^Round \d+$/), "Edited"]);
    const hidden = await badges.evaluateAll((elements) =>
      elements.map((element) => {
        const [badge, line] = [element, element.parentElement].map((each) => each?.getBoundingClientRect());
        return Math.max(
          0,
          (badge?.right ?? 0) - (line?.right ?? 0),
          element.scrollWidth - element.clientWidth,
        );
      }),
    );
    expect(hidden).toEqual([0, 0]);
    review.child.kill("SIGTERM");
    await review.ended;
  });
});

describe("a message", () => {
  it("is inside its dialog, and disappears with its subject", async () => {
    const review = await startReview(home, hookEvent(`${samplePlan}\nMessages.\n`, home.path));
    const { page } = await openReview(browser, review.url);
    await page.keyboard.press("j");
    await page.keyboard.press("d");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Share …" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("status", { name: "Messages" }).waitFor({ state: "attached" });
    expect(await page.locator(".toasts").count()).toBe(1);
    // Messages disappear, so their texts are recorded for later checks.
    const announcements = await dialog.getByRole("status", { name: "Messages" }).evaluateHandle((element) => {
      const texts = [element.textContent];
      new MutationObserver(() => texts.push(element.textContent)).observe(element, { childList: true });
      return texts;
    });
    await dialog.getByRole("button", { name: "Copy" }).click();
    await expect.poll(() => announcements.evaluate((texts) => texts.join())).toContain("Link copied");
    expect(await announcements.evaluate((texts) => texts.join())).not.toContain("Marked for removal");
    await page.keyboard.press("Escape");
    await page.keyboard.press("x");
    await page.getByRole("button", { name: /^Send to/ }).click();
    await page.getByRole("heading", { name: "Changes requested" }).waitFor();
    await expect.poll(() => page.locator(".toast").count()).toBe(0);
    await review.ended;
  });
});
