import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile } from "../support/browser.ts";
import {
  changedRepository,
  draftSaved,
  openCodeReview,
  type RunningCodeReview,
  startCodeReview,
} from "../support/code-review-page.ts";

const browser = await launchBrowserForFile();

/** A page with a comment on the whole change, whose command is killed. */
async function leftOver(): Promise<RunningCodeReview & { readonly page: Page; readonly flags: string[] }> {
  const review = await openCodeReview(browser, await changedRepository());
  const { page } = review;
  await page.keyboard.press("g");
  await page.locator(".sidebar textarea").fill("About the first one");
  await page.keyboard.press("Control+Enter");
  await draftSaved(page);
  review.child.kill("SIGKILL");
  await review.ended;
  return { ...review, flags: ["--port", new URL(review.url).port] };
}

async function send(page: Page): Promise<void> {
  await page.keyboard.press("Control+Shift+Enter");
  const dialog = page.getByRole("dialog");
  await expect.poll(() => dialog.locator("textarea").inputValue()).toContain("About the first one");
  await dialog.getByRole("button", { name: "Send feedback" }).click();
}

async function sendAndBeRefused(page: Page): Promise<void> {
  await send(page);
  const dialog = page.getByRole("dialog");
  await dialog.getByText("another review is now open at this address").waitFor();
  await page.keyboard.press("Escape");
}

describe("a tab whose code review has ended", () => {
  it("shows new comments although their renderer cannot be loaded", async () => {
    const { page, child, ended } = await openCodeReview(browser, await changedRepository());
    child.kill("SIGKILL");
    await ended;
    await page.keyboard.press("g");
    await page.locator(".sidebar textarea").fill("Still **mine**");
    await page.keyboard.press("Control+Enter");
    await page.locator(".comment-text", { hasText: "Still **mine**" }).waitFor();
  });

  it("cannot decide the review of another repository, and keeps its text", async () => {
    const { page, flags } = await leftOver();
    const second = await startCodeReview(await changedRepository(), { flags });
    await page.getByText("another review is now open at this address.").waitFor();
    await sendAndBeRefused(page);
    const other = page.getByRole("button", { name: "Show the other review" });
    await other.click();
    await other.waitFor({ state: "detached" });
    await page.locator(".review:not(.prerendered)").waitFor();
    expect(await page.getByText("About the first one").count()).toBe(0);
    second.child.kill("SIGTERM");
    expect((await second.ended).stdout).toBe("");
  });

  it("continues with its branch after showing what changed", async () => {
    const { repository, page, flags } = await leftOver();
    await repository.write({ "src/fresh.ts": "export const fresh = false;\n" });
    const second = await startCodeReview(repository, { flags });
    const refresh = page.getByRole("button", { name: "Refresh" });
    await refresh.waitFor();
    await sendAndBeRefused(page);
    await refresh.click();
    await refresh.waitFor({ state: "detached" });
    await send(page);
    expect((await second.ended).stdout).toContain("About the first one");
  });
});
