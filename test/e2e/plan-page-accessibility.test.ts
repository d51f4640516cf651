import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "../support/accessibility.ts";
import { launchBrowser, openReview, selectText } from "../support/browser.ts";
import { type Home, hookEvent, makeHome, startReview } from "../support/plan-review.ts";
import { samplePlan } from "../support/plans.ts";

let browser: Browser;
let home: Home;
beforeAll(async () => {
  browser = await launchBrowser();
  home = await makeHome();
});
afterAll(async () => {
  await browser.close();
  await home.remove();
});

describe.each(["light", "dark"] as const)("axe finds nothing in the %s plan page", (theme) => {
  it("in any of its states", async () => {
    const plan = `${samplePlan}\nFor ${theme} eyes.\n`;
    const review = await startReview(home, hookEvent(plan, home.path));
    const { page } = await openReview(browser, review.url, { theme });
    const look = async (state: string) => expect(await violations(page), state).toEqual([]);
    await page.locator(".hl-keyword").first().waitFor();
    await look("just opened");

    await selectText(page, "Every deploy");
    await look("with the toolbar");
    await page.keyboard.press("r");
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
    await look("source");
    await page.keyboard.press("E");
    await look("editor");
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
