import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, openPage } from "../support/browser.ts";
import {
  changedRepository,
  draftSaved,
  openCodeReview,
  sendFeedback,
  writeComment,
  writeGeneralComment,
} from "../support/code-review-page.ts";
import { openWithoutDraftEvents, restoreConnection } from "../support/lost-draft-events.ts";

const browser = await launchBrowserForFile();

const viewed = (page: Page, path: string) => page.getByRole("checkbox", { name: `Viewed ${path}` });
const savedAsNewest = async (page: Page) => {
  await draftSaved(page);
  expect(await page.getByText("open in another window").count()).toBe(0);
};

describe("two tabs of a code review", () => {
  it("show the viewed marks of each other at once, and save them all", async () => {
    const one = await openCodeReview(browser, await changedRepository());
    const two = await openPage(browser, one.url);
    await two.page.locator(".review:not(.prerendered)").waitFor();
    await viewed(one.page, "src/fresh.ts").check();
    await expect.poll(() => viewed(two.page, "src/fresh.ts").isChecked()).toBe(true);
    await two.page.locator(".tree-viewed", { hasText: /^1\// }).waitFor();
    await viewed(two.page, "src/cart.ts").check();
    await expect.poll(() => viewed(one.page, "src/cart.ts").isChecked()).toBe(true);
    await viewed(one.page, "src/fresh.ts").uncheck();
    await expect.poll(() => viewed(two.page, "src/fresh.ts").isChecked()).toBe(false);
    await savedAsNewest(one.page);
    await savedAsNewest(two.page);
    await one.page.reload();
    await one.page.locator(".tree-viewed", { hasText: /^1\// }).waitFor();
    expect(await viewed(one.page, "src/cart.ts").isChecked()).toBe(true);
  });

  it("catch up when the connection is restored", async () => {
    const one = await openCodeReview(browser, await changedRepository());
    const two = await openWithoutDraftEvents(browser, one.url);
    await two.locator(".review:not(.prerendered)").waitFor();
    await viewed(one.page, "src/fresh.ts").check();
    await draftSaved(one.page);
    expect(await viewed(two, "src/fresh.ts").isChecked()).toBe(false);
    const { sessionId } = await (await fetch(new URL("/api/diff/index", one.url))).json();
    await restoreConnection(two, sessionId);
    await expect.poll(() => viewed(two, "src/fresh.ts").isChecked()).toBe(true);
  });

  it("share their comments, keep what is being written, and send all of them", async () => {
    const one = await openCodeReview(browser, await changedRepository());
    const two = await openPage(browser, one.url);
    await two.page.locator(".review:not(.prerendered)").waitFor();
    await two.page.keyboard.press("g");
    const open = two.page.locator(".sidebar textarea");
    await open.waitFor();
    await writeComment(one.page, "src/cart.ts", [30, 30], "From the first tab");
    await two.page.locator(".comment", { hasText: "From the first tab" }).first().waitFor();
    expect(await open.evaluate((field) => field === document.activeElement)).toBe(true);
    await open.pressSequentially("From the second tab");
    await two.page.keyboard.press("Control+Enter");
    await one.page.keyboard.press(".");
    await one.page.locator(".comment", { hasText: "From the second tab" }).first().waitFor();
    await writeGeneralComment(one.page, "Once more");
    await savedAsNewest(one.page);
    await savedAsNewest(two.page);
    await two.page.locator(".comment", { hasText: "Once more" }).first().waitFor();
    await sendFeedback(two.page);
    const { stdout } = await one.ended;
    for (const text of ["From the first tab", "From the second tab", "Once more"])
      expect(stdout).toContain(text);
  });

  it("keep the feedback that both edit, and the comments that one adds meanwhile", async () => {
    const one = await openCodeReview(browser, await changedRepository());
    const two = await openPage(browser, one.url);
    await two.page.locator(".review:not(.prerendered)").waitFor();
    await writeGeneralComment(one.page, "As it was");
    await two.page.keyboard.press(".");
    await two.page.locator(".comment", { hasText: "As it was" }).waitFor();
    const field = (page: Page) => page.getByLabel("Feedback in Markdown, exactly as it will be sent");
    const write = async (page: Page, text: string, key: "Home" | "End") => {
      await field(page).focus();
      await page.keyboard.press(`Control+${key}`);
      await page.keyboard.type(text);
    };
    await one.page.keyboard.press("x");
    await write(one.page, "First of all\n", "Home");
    await savedAsNewest(one.page);
    await writeGeneralComment(two.page, "Added meanwhile");
    await expect.poll(() => field(one.page).inputValue()).toMatch(/^First of all\n[\s\S]*Added meanwhile/);
    await two.page.keyboard.press("x");
    await expect.poll(() => field(two.page).inputValue()).toContain("First of all");
    await write(one.page, "From the first tab\n", "Home");
    await write(two.page, "\nFrom the second tab", "End");
    const both = /^From the first tab\nFirst of all\n[\s\S]*Added meanwhile[\s\S]*From the second tab$/;
    for (const { page } of [one, two]) await expect.poll(() => field(page).inputValue()).toMatch(both);
    await two.page.getByRole("dialog").getByRole("button", { name: "Send feedback" }).click();
    expect((await one.ended).stdout).toMatch(/^From the first tab\nFirst of all\n[\s\S]*From the second tab/);
  });
});
