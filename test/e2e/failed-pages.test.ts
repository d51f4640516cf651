import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, newContext, openReview } from "../support/browser.ts";
import { changedRepository, openCodeReview } from "../support/code-review-page.ts";
import { hookEvent, makeHomeForFile, startReview } from "../support/plan-review.ts";

const home = await makeHomeForFile();
const browser = await launchBrowserForFile();

const terms = Array.from({ length: 9_000 }, (_, index) => `word${index}`);
const longPlan = `# Long plan\n\n${terms.join(" ")}\n\n\`\`\`\n${terms.join("\n")}\n\`\`\`\n`;

describe("an annotation on a long passage", () => {
  it("does not prevent reading and deciding the next round", async () => {
    const first = await startReview(home, hookEvent(longPlan, home.path));
    const one = await openReview(browser, first.url);
    await one.page.keyboard.press("Control+a");
    await one.page.keyboard.press("c");
    await one.page.locator(".composer textarea").fill("All of this");
    await one.page.keyboard.press("Control+Enter");
    await one.page.locator(".cards .card").waitFor();
    await one.page.getByRole("button", { name: /^Request changes/ }).click();
    await one.page.getByRole("button", { name: /^Send to/ }).click();
    await first.ended;

    const second = await startReview(home, hookEvent(`${longPlan}\nOne more.\n`, home.path));
    const { page, errors } = await openReview(browser, second.url);
    await page.getByRole("region", { name: "Comments of round 1" }).getByText("text unchanged").waitFor();
    expect(await page.getByRole("button", { name: "Approve" }).isEnabled()).toBe(true);
    expect(errors).toEqual([]);
    second.child.kill("SIGTERM");
    await second.ended;
  });
});

/** A page in which a browser function fails, to simulate a defect of the page. */
async function brokenContext(script: string): Promise<BrowserContext> {
  const context = await newContext(browser);
  await context.addInitScript(script);
  return context;
}

const NO_EVENTS = "window.EventSource = class { constructor() { throw new Error('no events') } }";

/** Returns the review that each agent session reads, according to the files of the reviews. */
function sessionClaims(): string[] {
  const folder = join(home.path, "data", "sessions");
  return readdirSync(folder).map((name) => `${name} ${readFileSync(join(folder, name), "utf8")}`);
}

describe("a page that cannot be rendered", () => {
  it("keeps the annotations as text and the decision buttons", async () => {
    const review = await startReview(home, hookEvent("# Fails\n\nSome text.\n", home.path));
    const before = await openReview(browser, review.url);
    await before.page.keyboard.press("g");
    await before.page.locator(".composer textarea").fill("Keep this note");
    await before.page.keyboard.press("Control+Enter");
    await before.page.getByText("Draft saved").waitFor();

    const page = await (await brokenContext(NO_EVENTS)).newPage();
    await page.goto(review.url);
    await page.getByRole("heading", { name: "This page has failed" }).waitFor();
    await page.getByText("no events").waitFor();
    await page.getByRole("region", { name: "Your comments" }).getByText("Keep this note").waitFor();
    await page.getByRole("button", { name: "Approve" }).waitFor();
    await page.getByRole("button", { name: "Request changes" }).click();
    await page.getByRole("heading", { name: "Sent: Request changes" }).waitFor();
    const { stdout } = await review.ended;
    expect(JSON.parse(stdout).hookSpecificOutput.decision).toMatchObject({
      behavior: "deny",
      message: expect.stringContaining("Keep this note"),
    });
  });

  it("can approve the plan without annotations", async () => {
    const review = await startReview(home, hookEvent("# Fails twice\n\nSome text.\n", home.path));
    const page = await (await brokenContext(NO_EVENTS)).newPage();
    await page.goto(review.url);
    await page.getByRole("button", { name: "Deny" }).waitFor();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("heading", { name: "Sent: Approve" }).waitFor();
    const { stdout } = await review.ended;
    expect(JSON.parse(stdout).hookSpecificOutput.decision.behavior).toBe("allow");
  });

  it("does not show a decision as delivered that the agent may not read", async () => {
    const event = {
      ...JSON.parse(hookEvent("# Fails, doubted\n\nSome text.\n", home.path)),
      session_id: "doubted",
    };
    const review = await startReview(home, JSON.stringify(event));
    const page = await (await brokenContext(NO_EVENTS)).newPage();
    await page.goto(review.url);
    await page.getByRole("button", { name: "Approve" }).waitFor();
    // The same agent session asks again, so it no longer reads the first decision.
    const before = sessionClaims();
    const next = await startReview(home, JSON.stringify({ ...event, tool_input: { plan: "# Another\n" } }));
    await expect.poll(sessionClaims).not.toEqual(before);
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("heading", { name: "Not delivered: Approve" }).waitFor();
    await page.getByRole("alert").getByText("has since requested another review").waitFor();
    expect(await page.getByText(/handed to|close this tab/).count()).toBe(0);
    next.child.kill("SIGTERM");
    await Promise.all([review.ended, next.ended]);
  });

  it("loses one region of the plan page and keeps the others", async () => {
    const review = await startReview(home, hookEvent("# Half\n\n## One\n\nText.\n", home.path));
    const page = await (
      await brokenContext("ResizeObserver.prototype.observe = () => { throw new Error('no sizes') }")
    ).newPage();
    await page.goto(review.url);
    await page.getByText("This view of the plan cannot be shown: no sizes").waitFor();
    await page.getByText("Source", { exact: true }).click();
    await page.locator(".source-line", { hasText: "## One" }).waitFor();
    await page.getByRole("button", { name: "Deny" }).waitFor();
    review.child.kill("SIGTERM");
    await review.ended;
  });

  it("keeps the code review's comments as text and the decision buttons", async () => {
    const { page: before, url, ended } = await openCodeReview(browser, await changedRepository());
    await before.getByRole("button", { name: "Approve" }).waitFor();
    const page = await (await brokenContext(NO_EVENTS)).newPage();
    await before.keyboard.press("g");
    await before.locator(".sidebar textarea").fill("Keep this comment");
    await before.keyboard.press("Control+Enter");
    await before.locator(".comment-text .markdown").waitFor();
    await expect
      .poll(async () => (await before.request.get(new URL("/api/draft", url).href)).text())
      .toContain("Keep this comment");
    await page.goto(url);
    await page.getByRole("heading", { name: "This page has failed" }).waitFor();
    await page.getByRole("region", { name: "Your comments" }).getByText("Keep this comment").waitFor();
    await page.getByRole("button", { name: "Approve without comments" }).waitFor();
    await page.getByRole("button", { name: "Send feedback" }).click();
    await page.getByRole("heading", { name: "Sent: Send feedback" }).waitFor();
    expect((await ended).stdout).toContain("Keep this comment");
  });
});
