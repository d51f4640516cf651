import { resolve } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { firstLoad } from "../../scripts/first-load.mjs";
import { launchBrowserForFile, newContext } from "../support/browser.ts";
import { changedRepository, startCodeReview } from "../support/code-review-page.ts";

const BUILT = resolve(import.meta.dirname, "../../dist/web");

const browser = await launchBrowserForFile();

interface Opened {
  readonly page: Page;
  /** Scripts and styles that the page requested. */
  readonly asked: Set<string>;
  /** Lets the delayed scripts arrive. */
  readonly release: () => void;
}

/** Opens a review in a browser that is never idle. Scripts that `delayed` matches arrive when they are released. */
async function openBusy(delayed: RegExp | undefined): Promise<Opened> {
  const { url } = await startCodeReview(await changedRepository());
  const context = await newContext(browser, { viewport: { width: 1280, height: 860 } });
  await context.addInitScript(() => {
    window.requestIdleCallback = () => 0;
  });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  if (delayed) {
    await context.route(delayed, async (route) => {
      await released;
      await route.continue();
    });
  }
  const page = await context.newPage();
  const asked = new Set<string>();
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/\.(?:js|css)$/.test(pathname)) asked.add(pathname.slice(1));
  });
  await page.goto(url);
  await page.locator(".review:not(.prerendered)").waitFor();
  return { page, asked, release };
}

describe("the first load of the code page", () => {
  it("is what the build measures, until something is used", async () => {
    const { page, asked } = await openBusy(undefined);
    await page.waitForLoadState("networkidle");
    const measured = firstLoad(BUILT, "code/index.html").map(({ file }) => file);
    expect([...asked].sort()).toEqual(measured.sort());
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  });

  it.each([
    ["a sentence", async () => undefined],
    ["a sentence after a click", (page: Page) => page.getByRole("button", { name: "Approve" }).click()],
  ])("keeps %s that is typed while a dialog loads", async (_name, before) => {
    const { page, release } = await openBusy(/approve-dialog/);
    await before(page);
    await page.keyboard.type("a is a map");
    expect(await page.locator(".sidebar textarea").inputValue()).toBe("a is a map");
    release();
    await page.keyboard.type(" of names");
    expect(await page.locator(".sidebar textarea").inputValue()).toBe("a is a map of names");
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  it("opens a dialog when its script arrives, and says why if it does not", async () => {
    const { page, release } = await openBusy(/palette/);
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Loading …" }).waitFor();
    release();
    await page.getByRole("combobox", { name: "File or command" }).waitFor();
    await page.keyboard.press("Escape");
    await page.context().setOffline(true);
    await page.keyboard.press("?");
    const failed = page.getByRole("alert").filter({ hasText: "This dialog cannot be shown" });
    await failed.waitFor();
    await page.context().setOffline(false);
    await failed.getByRole("button", { name: "Try again" }).click();
    const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    const reload = failed.getByRole("button", { name: "Reload the page" });
    await dialog.or(reload).waitFor();
    if (await dialog.isVisible()) return;
    // Chromium 153 and earlier never request the script again.
    await Promise.all([page.waitForEvent("load"), reload.click()]);
    await page.locator(".review:not(.prerendered)").waitFor();
    await page.keyboard.press("?");
    await dialog.waitFor();
  });

  it("replaces the waiting dialog without a moment in which keys reach the page", async () => {
    const { page, release } = await openBusy(/palette/);
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Loading …" }).waitFor();
    const isOpenOnceAdded = page.evaluate(
      () =>
        new Promise((resolve) => {
          new MutationObserver((records) => {
            const added = records.flatMap(({ addedNodes }) => [...addedNodes]);
            const dialog = added.find((node) => node instanceof HTMLDialogElement);
            if (dialog) resolve(dialog.open);
          }).observe(document.body, { childList: true, subtree: true });
        }),
    );
    release();
    expect(await isOpenOnceAdded).toBe(true);
  });

  it("is followed by the dialogs when the browser is idle, so that they open without the server", async () => {
    const { url, child } = await startCodeReview(await changedRepository());
    const page = await (await newContext(browser)).newPage();
    const scripts = page.waitForResponse(/ask-dialog.*\.js/);
    await page.goto(url);
    await scripts;
    await expect
      .poll(() =>
        page.evaluate(() =>
          performance
            .getEntriesByType("resource")
            .map(({ name }) => name)
            .join(),
        ),
      )
      .toMatch(/send-dialog/);
    await page.waitForLoadState("networkidle");
    child.kill("SIGKILL");
    await page.keyboard.press("x");
    await page.getByRole("dialog", { name: /^Send feedback to/ }).waitFor();
  });
});
