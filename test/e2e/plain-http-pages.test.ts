import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, openPage, openReview } from "../support/browser.ts";
import { changedRepository, startCodeReview, writeGeneralComment } from "../support/code-review-page.ts";
import { hookEvent, makeHomeForEachTest, startReview } from "../support/plan-review.ts";
import { samplePlan } from "../support/plans.ts";

/** The name under which another machine calls this one. Without HTTPS, browsers trust only `localhost`. */
const NAME = hostname().toLowerCase();
const fromElsewhere = (url: string) => url.replace("localhost", NAME);

const browser = await launchBrowserForFile([`--host-resolver-rules=MAP ${NAME} 127.0.0.1`]);
const home = makeHomeForEachTest();

describe("a page served over plain HTTP from another machine", () => {
  it("annotates a plan, and copies", async () => {
    const review = await startReview(home, hookEvent(samplePlan, home.path), ["--host", "0.0.0.0"]);
    const { page, errors } = await openReview(browser, fromElsewhere(review.url));
    await page.keyboard.press("g");
    await page.getByPlaceholder("About the plan as a whole").fill("Looks sound.");
    await page.getByRole("button", { name: "Add comment" }).click();
    await page.locator(".card").getByText("Looks sound.").waitFor();
    await page.getByRole("button", { name: "Copy code" }).first().click();
    await expect.poll(() => page.locator("[role=status]").allTextContents()).toContain("Code copied");
    expect(errors).toEqual([]);
    review.child.kill();
    await review.ended;
  });

  it("comments on a diff, and copies", async () => {
    const review = await startCodeReview(await changedRepository(), { flags: ["--host", "0.0.0.0"] });
    const { page, errors } = await openPage(browser, fromElsewhere(review.url));
    await page.locator(".review:not(.prerendered)").waitFor();
    await page
      .getByRole("button", { name: /^Copy the path/ })
      .first()
      .click();
    await page.getByText("Path copied").waitFor();
    await writeGeneralComment(page, "Looks sound.");
    expect(errors).toEqual([]);
    review.child.kill();
    await review.ended;
  });
});
