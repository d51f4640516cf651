import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { launchBrowserForFile, newContext, openReview } from "../support/browser.ts";
import { changedRepository, openCodeReview, writeGeneralComment } from "../support/code-review-page.ts";
import { hookEvent, makeHomeForFile, type RunningReview, startReview } from "../support/plan-review.ts";
import { samplePlan } from "../support/plans.ts";

const home = await makeHomeForFile();
const browser = await launchBrowserForFile();

async function planReview(text: string): Promise<RunningReview> {
  const review = await startReview(home, hookEvent(`${samplePlan}\n${text}\n`, home.path));
  onTestFinished(async () => {
    review.child.kill("SIGKILL");
    await review.ended;
  });
  return review;
}

const open = (page: Page) => page.locator('dialog[open] [data-irreversible][aria-disabled="false"]');

/** A page of another origin that opens the review in a new window when a key is pressed. */
async function foreignOpener(url: string): Promise<string> {
  const page = `<!doctype html><body><script>
    addEventListener("keydown", () => { window.opened ??= open(${JSON.stringify(url)}, "", "width=900,height=700"); });
  </script>`;
  const server = createServer((_, response) => response.setHeader("content-type", "text/html").end(page));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe("an irreversible button", () => {
  it("is pressed by Ctrl+Enter only, and shows this", async () => {
    const review = await planReview("Keys.");
    const { page } = await openReview(browser, review.url);
    await page.keyboard.press("a");
    await open(page).waitFor();
    const approve = page.getByRole("dialog").getByRole("button", { name: "Approve", exact: true });
    await approve.focus();
    for (const key of ["Enter", "Space", "Shift+Enter", "Alt+Enter"]) await page.keyboard.press(key);
    await page.getByText("Enter and Space do not press this button").waitFor();
    await approve.dispatchEvent("click");
    await approve.evaluate((button: HTMLElement) => button.click());
    expect(await approve.getAttribute("aria-describedby")).not.toBeNull();
    expect(review.child.exitCode).toBeNull();
    await page.keyboard.press("Control+Enter");
    await page.getByRole("heading", { name: "Plan approved" }).waitFor();
  });

  it("ignores a press that began elsewhere, and any right after it appeared or the page gained focus", async () => {
    const review = await planReview("Presses.");
    const context = await newContext(browser);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    // The test controls the page's clock, so that on any machine the input arrives before the delay has passed.
    await page.addInitScript(() => {
      const now = performance.now.bind(performance);
      let ahead = 0;
      performance.now = () => now() + ahead;
      addEventListener("put-ahead", (event) => {
        ahead = (event as CustomEvent<number>).detail;
      });
    });
    const putAhead = (milliseconds: number) =>
      page.evaluate((detail) => dispatchEvent(new CustomEvent("put-ahead", { detail })), milliseconds);
    await page.goto(review.url);
    await page.locator(".page[data-view] .plan").waitFor();
    const approve = page.getByRole("dialog").getByRole("button", { name: "Approve", exact: true });
    const placed = async () => {
      await page.getByRole("button", { name: "Approve" }).click();
      await open(page).waitFor();
      const box = await approve.boundingBox();
      return { x: (box?.x ?? 0) + 8, y: (box?.y ?? 0) + 8 };
    };

    await putAhead(3_600_000);
    const { x, y } = await placed();
    await page.mouse.click(x, y);
    await page.keyboard.press("Control+Enter");
    await page.keyboard.press("Escape");

    await putAhead(0);
    await placed();
    await page.mouse.move(x, y - 80);
    await page.mouse.down();
    await page.mouse.move(x, y);
    await page.mouse.up();
    await putAhead(3_600_000);
    // Simulates the person returning to the window.
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await page.mouse.click(x, y);
    await page.keyboard.press("Control+Enter");
    expect(review.child.exitCode).toBeNull();

    await putAhead(0);
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await open(page).waitFor();
    await page.mouse.click(x, y);
    await page.getByRole("heading", { name: "Plan approved" }).waitFor();
  });

  it("cannot be pressed by keys that were meant for the page that opened the review", async () => {
    const review = await planReview("Popup.");
    const context = await newContext(browser);
    onTestFinished(() => context.close());
    const foreign = await context.newPage();
    await foreign.goto(await foreignOpener(review.url));
    const [popup] = await Promise.all([context.waitForEvent("page"), foreign.keyboard.press("m")]);
    await popup.locator(".page[data-view] .plan").waitFor();
    for (const text of ["make a test ", "what a day\n", "sudo apt install curl\n", "I have a plan. "]) {
      await popup.keyboard.type(text, { delay: 20 });
    }
    expect(review.child.exitCode).toBeNull();
    expect(await popup.locator(".page[data-view]").count()).toBe(1);
  });

  it("decides on the code page by Ctrl+Enter only", async () => {
    const review = await openCodeReview(browser, await changedRepository());
    const { page, child } = review;
    await writeGeneralComment(page, "In general: fine.");
    await page.keyboard.press("a");
    const without = page.getByRole("button", { name: "Approve without comments" });
    await open(page).waitFor();
    await without.focus();
    await page.keyboard.press("Enter");
    // The key triggers an irreversible action only if the button has the focus.
    await page.getByRole("heading", { name: "Approve these changes" }).focus();
    await page.keyboard.press("Control+Enter");
    expect(child.exitCode).toBeNull();
    await page.keyboard.press("Escape");
    await page.keyboard.press("x");
    await open(page).waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByRole("heading", { name: "Feedback sent" }).waitFor();
    expect((await review.ended).stdout).toContain("In general: fine.");
  });
});

describe("the keys of both pages", () => {
  it("have the same meaning and labels", async () => {
    const review = await planReview("Sheets.");
    const plan = await openReview(browser, review.url);
    const code = await openCodeReview(browser, await changedRepository());
    const [first, second] = await Promise.all(
      [plan.page, code.page].map(async (page) => {
        await page.keyboard.press("?");
        await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
        return page.locator(".shortcuts").evaluate((sheet) => {
          const keys = [...sheet.querySelectorAll("dd")].map(({ textContent }) => textContent ?? "");
          const labels = [...sheet.querySelectorAll("dt")].map(({ textContent }) => textContent ?? "");
          return Object.fromEntries(keys.map((key, index) => [key, labels[index]]));
        });
      }),
    );
    const shared = Object.keys(first ?? {}).filter((key) => key in (second ?? {}));
    expect(shared).toEqual(expect.arrayContaining(["a", "c", "e", "g", "j", "r", "u", "x", "?"]));
    for (const key of shared) expect(first?.[key], key).toBe(second?.[key]);
    code.child.kill("SIGTERM");
  });
});
