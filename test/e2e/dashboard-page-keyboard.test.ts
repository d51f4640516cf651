import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { rowsOf as rows, teamDashboard, viewLink as view } from "../support/team-dashboard.ts";

const dashboard = teamDashboard();
const { adminApi, call, createKey, openSignedIn, recorded } = dashboard;

/** The role and name of the focused element. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement } = document;
    const { labels } = activeElement as HTMLInputElement;
    const name =
      activeElement?.getAttribute("aria-label") ?? (labels?.[0] ?? activeElement)?.textContent?.trim();
    return `${activeElement?.localName} ${activeElement === document.body ? "" : name}`.trim();
  });

/** Presses a key until an element with this name has the focus. */
async function reach(page: Page, name: string, key = "Tab"): Promise<void> {
  for (let count = 0; count < 60; count += 1) {
    if ((await focused(page)).endsWith(name)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`Cannot reach ${name} with ${key}; the focus is at ${await focused(page)}`);
}

describe("the dashboard by keyboard alone", () => {
  it("keeps the focus when the fields of budgets and tags are added and removed", async () => {
    const { page } = await openSignedIn(dashboard.admin);
    await view(page, "Keys").click();
    await page.getByRole("button", { name: "Create key" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    for (const [add, field, remove] of [
      ["Add a budget", "Budget in US dollars", "Remove budget 1"],
      ["Add a tag", "Name of tag 1", "Remove tag 1"],
    ] as const) {
      await reach(page, `button ${add}`);
      await page.keyboard.press("Enter");
      await expect.poll(() => focused(page)).toBe(`input ${field}`);
      await reach(page, `button ${remove}`);
      await page.keyboard.press("Enter");
      await expect.poll(() => focused(page)).toBe(`button ${add}`);
    }
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(page)).toBe("button Create key");
  });

  it("moves the focus to the list when the entry of a dialog is gone", async () => {
    await createKey("short-lived");
    await adminApi("POST", "/teams", { name: "empty" });
    const { page } = await openSignedIn(dashboard.admin);
    await view(page, "Keys").click();
    for (const [open, confirm, heading] of [
      ["Revoke short-lived", "Revoke key", "h2 Keys"],
      ["Delete empty", "Delete team", "h2 Teams"],
    ] as const) {
      await page.getByRole("button", { name: open }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor();
      await reach(page, `button ${confirm}`);
      await page.keyboard.press("Enter");
      await expect.poll(() => page.getByRole("button", { name: open }).count()).toBe(0);
      await expect.poll(() => focused(page)).toBe(heading);
    }
  });

  it("keeps the focus in the pages of a list, at their ends as well", async () => {
    for (let number = 0; number < 101; number += 1) await call("m");
    await recorded(100);
    const { page } = await openSignedIn(dashboard.admin);
    await view(page, "Calls").focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => rows(page, "Calls").count()).toBe(100);
    for (const [button, count] of [
      ["Older", 1],
      ["Newer", 100],
    ] as const) {
      await page.getByRole("button", { name: button }).focus();
      await page.keyboard.press("Enter");
      await expect.poll(() => rows(page, "Calls").count()).toBe(count);
      expect(await focused(page)).toBe(`button ${button}`);
      expect(await page.getByRole("button", { name: button }).isDisabled()).toBe(true);
    }
    const [link] = await rows(page, "Calls").first().getByRole("link").all();
    await link?.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Call" }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(page)).toMatch(/^a Call at \d\d:\d\d:\d\d$/);
  });
});
