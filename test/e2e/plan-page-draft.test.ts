import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, newPage, openReview, selectText } from "../support/browser.ts";
import { hookEvent, makeHomeForEachTest, startReview } from "../support/plan-review.ts";
import { samplePlan } from "../support/plans.ts";

const browser = await launchBrowserForFile();
const home = makeHomeForEachTest();

const saved = (page: Page) => page.getByText(/^Draft saved/).waitFor();

describe("text typed on the plan page", () => {
  it("is shown as kept when the server is gone, also in a narrow window", async () => {
    const review = await startReview(home, hookEvent(samplePlan, home.path));
    const { page } = await openReview(browser, review.url, { width: 360, height: 700 });
    await page.locator(".sidebar-toggle").click();
    await page.getByRole("button", { name: "Close comments" }).waitFor();
    review.child.kill("SIGKILL");
    const banner = page.locator(".banner-danger");
    await banner.waitFor();
    // An element receives a click only if no other element covers it.
    await banner.getByRole("button").first().click();
    await page.getByRole("button", { name: "Close comments" }).click();
    await page.getByRole("button", { name: "Close comments" }).waitFor({ state: "hidden" });
    await review.ended;
  });

  it("is restored after a reload: annotations and the open one", async () => {
    const review = await startReview(home, hookEvent(samplePlan, home.path));
    const { page } = await openReview(browser, review.url);
    await selectText(page, "Every deploy");
    await page.keyboard.press("c");
    await page.keyboard.type("Kept note");
    await page.keyboard.press("Control+Enter");
    await selectText(page, "Redis becomes");
    await page.keyboard.press("!");
    await page.keyboard.type("Half a thou");
    // Does not wait for the save, because leaving the page sends unsaved text.
    await page.reload();
    await page.locator(".card").waitFor();
    expect(await page.locator(".card").textContent()).toContain("Kept note");
    expect(await page.locator(".composer textarea").inputValue()).toBe("Half a thou");
    review.child.kill("SIGTERM");
    await review.ended;
  });

  it("is saved also if it was typed before the draft had loaded", async () => {
    const review = await startReview(home, hookEvent(samplePlan, home.path));
    const page = await newPage(browser);
    let respond = () => {};
    const mayRespond = new Promise<void>((resolve) => {
      respond = resolve;
    });
    await page.route("**/api/draft", async (route) => {
      if (route.request().method() === "GET") await mayRespond;
      await route.continue();
    });
    await page.goto(review.url);
    await page.locator(".page[data-view] .plan").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.type("Typed at once");
    respond();
    await saved(page);
    const draft = await fetch(new URL("/api/draft", review.url)).then((response) => response.text());
    expect(draft).toContain("Typed at once");
    review.child.kill("SIGTERM");
    await review.ended;
  });

  it("is restored after the command was killed and the plan was sent again", async () => {
    const plan = `${samplePlan}\nAnother version.\n`;
    const first = await startReview(home, hookEvent(plan, home.path));
    const opened = await openReview(browser, first.url);
    await selectText(opened.page, "Every deploy");
    await opened.page.keyboard.press("c");
    await opened.page.keyboard.type("Thirty minutes of work");
    await opened.page.keyboard.press("Control+Enter");
    await saved(opened.page);
    first.child.kill("SIGKILL");
    await first.ended;
    await opened.page.getByText("Can't reach Sallyport.").waitFor();
    await opened.page.getByRole("button", { name: "Copy my comments" }).click();
    expect(await opened.page.evaluate(() => navigator.clipboard.readText())).toContain(
      "Thirty minutes of work",
    );

    const second = await startReview(home, hookEvent(plan, home.path));
    const { page } = await openReview(browser, second.url);
    await page.locator(".card").waitFor();
    expect(await page.locator(".card").textContent()).toContain("Thirty minutes of work");
    second.child.kill("SIGTERM");
    await second.ended;
  });

  it("continues with the next round if the agent withdrew its own", async () => {
    const first = await startReview(home, hookEvent(samplePlan, home.path));
    const opened = await openReview(browser, first.url);
    await selectText(opened.page, "Every deploy");
    await opened.page.keyboard.press("c");
    await opened.page.keyboard.type("Never sent");
    await opened.page.keyboard.press("Control+Enter");
    await saved(opened.page);
    first.child.kill("SIGTERM");
    await first.ended;

    const second = await startReview(home, hookEvent(`${samplePlan}\nRevised.\n`, home.path));
    const { page } = await openReview(browser, second.url);
    const unsent = page.getByRole("region", { name: "Comments of round 1" });
    await unsent.getByText("Unsent comments from round 1").waitFor();
    await unsent.getByRole("button", { name: "Ask again" }).click();
    expect(await page.locator(".sidebar > .cards .card").textContent()).toContain("Never sent");
    await expect.poll(() => unsent.count()).toBe(0);
    second.child.kill("SIGTERM");
    await second.ended;
  });

  it("continues by itself when the command restarts with the same plan", async () => {
    const first = await startReview(home, hookEvent(samplePlan, home.path));
    const { port } = new URL(first.url);
    const { page } = await openReview(browser, first.url);
    await page.keyboard.press("g");
    await page.keyboard.type("Before it was killed, ");
    first.child.kill("SIGKILL");
    await first.ended;
    await page.keyboard.type("and after");
    const second = await startReview(home, hookEvent(samplePlan, home.path), ["--port", port]);
    await saved(page);
    const other = await openReview(browser, second.url);
    await other.page.locator(".composer textarea").waitFor();
    expect(await other.page.locator(".composer textarea").inputValue()).toBe(
      "Before it was killed, and after",
    );
    second.child.kill("SIGTERM");
    await second.ended;
  });

  it("stays with its plan when another one is opened at the same address, which the old tab cannot decide", async () => {
    const first = await startReview(home, hookEvent(samplePlan, home.path));
    const { port } = new URL(first.url);
    const { page } = await openReview(browser, first.url);
    await page.keyboard.press("g");
    await page.keyboard.type("About the first one");
    await page.keyboard.press("Control+Enter");
    first.child.kill("SIGKILL");
    await first.ended;
    const revised = hookEvent(`${samplePlan}\nRevised.\n`, home.path);
    const second = await startReview(home, revised, ["--port", port]);
    await page.getByText("This tab is out of date: another plan is now open at this address.").waitFor();
    await saved(page);
    await page.getByRole("button", { name: "Approve" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Approve/ })
      .first()
      .click();
    await page.getByText("Reload to see it.").waitFor();
    await page.reload();
    await page.getByText("Revised.").waitFor();
    const unsent = page.getByRole("region", { name: "Comments of round 1" });
    await unsent.getByText("About the first one").waitFor();
    second.child.kill("SIGTERM");
    expect((await second.ended).stdout).toBe("");
  });

  it("can be restored: a deleted and a discarded annotation", async () => {
    const review = await startReview(home, hookEvent(`${samplePlan}\nFor undoing.\n`, home.path));
    const { page } = await openReview(browser, review.url);
    await page.keyboard.press("g");
    await page.keyboard.type("To be deleted");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("button", { name: "Delete: General comment" }).click();
    await expect.poll(() => page.locator(".card").count()).toBe(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => page.locator(".card").count()).toBe(1);
    await page.keyboard.press("g");
    await page.keyboard.type("Discarded");
    await page.getByRole("button", { name: "Discard", exact: true }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    expect(await page.locator(".composer textarea").inputValue()).toBe("Discarded");
    review.child.kill("SIGTERM");
    await review.ended;
  });

  it("restores an edited plan after all edits were reverted", async () => {
    const review = await startReview(home, hookEvent("# سطر\n\nهذه خطة with English inside.\n", home.path));
    const { page } = await openReview(browser, review.url);
    // Each paragraph begins at the side at which its script begins.
    const ends = page.locator(".plan p").evaluate((paragraph) => {
      const range = document.createRange();
      range.selectNodeContents(paragraph);
      return [range.getBoundingClientRect().right, paragraph.getBoundingClientRect().right].map(Math.round);
    });
    const [textEnd, paragraphEnd] = await ends;
    expect(textEnd).toBe(paragraphEnd);
    await page.keyboard.press("E");
    const field = page.getByLabel("The plan's Markdown");
    const line = page.locator(".cm-line").first();
    await line.waitFor();
    await field.fill("# Another\n");
    await page.getByRole("button", { name: "Revert my edits" }).click();
    await field.getByText("English").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => line.textContent()).toBe("# Another");
    review.child.kill("SIGTERM");
    await review.ended;
  });

  it("is shared by two tabs of a review: each adds what the other has written", async () => {
    const review = await startReview(home, hookEvent(`${samplePlan}\nIn two tabs.\n`, home.path));
    const [one, two] = [await openReview(browser, review.url), await openReview(browser, review.url)];
    await one.page.keyboard.press("g");
    await one.page.keyboard.type("From the first tab");
    await one.page.keyboard.press("Control+Enter");
    await saved(one.page);
    await two.page.keyboard.press("g");
    await two.page.keyboard.type("From the second tab");
    await two.page.keyboard.press("Control+Enter");
    await expect.poll(() => two.page.locator(".card").allTextContents()).toHaveLength(2);
    await saved(two.page);
    await one.page.keyboard.press("g");
    await one.page.keyboard.type("Once more from the first");
    await one.page.keyboard.press("Control+Enter");
    await expect.poll(() => one.page.locator(".card").allTextContents()).toHaveLength(3);
    await saved(one.page);
    await two.page.reload();
    await two.page.locator(".card").first().waitFor();
    const texts = (await two.page.locator(".card").allTextContents()).join();
    for (const text of ["From the first tab", "From the second tab", "Once more from the first"]) {
      expect(texts).toContain(text);
    }
    review.child.kill("SIGTERM");
    await review.ended;
  });
});
