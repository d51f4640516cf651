import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, openReview, selectText, typeSentence } from "../support/browser.ts";
import { changedRepository, draftSaved, openCodeReview } from "../support/code-review-page.ts";
import { hookEvent, makeHomeForFile, startReview } from "../support/plan-review.ts";
import { samplePlan } from "../support/plans.ts";
import { sentences } from "../support/sentences.ts";

/** `npm run test:typing` types all 200 sentences; `npm test` types enough of them to cover each state. */
const isWhole = process.env["TYPED_SENTENCES"] === "all";
const onSelections = sentences(isWhole ? 60 : 20);
const inOtherStates = sentences(isWhole ? 40 : 12);

const home = await makeHomeForFile();
const browser = await launchBrowserForFile();

const focusedText = (page: Page) =>
  page.evaluate(() =>
    document.activeElement instanceof HTMLTextAreaElement ? document.activeElement.value : undefined,
  );

/** Types sentences one after another, each in a new state, and checks each result. */
async function typeIn(
  page: Page,
  texts: readonly string[],
  states: readonly (() => Promise<unknown>)[],
  look: (text: string) => Promise<void>,
): Promise<void> {
  for (const [index, text] of texts.entries()) {
    await states[index % states.length]?.();
    await typeSentence(page, text, [0, 15, 40][index % 3] ?? 0);
    await look(text);
  }
}

describe("ordinary sentences on the plan page", () => {
  it("become complete comments on the selection, and decide nothing", { timeout: 480_000 }, async () => {
    const review = await startReview(home, hookEvent(samplePlan, home.path));
    const { page, errors } = await openReview(browser, review.url);
    const select = (text: string) => async () => {
      await selectText(page, text);
    };
    const states = [select("Every deploy signs everybody out"), select("single point of failure")];
    await typeIn(page, onSelections, states, async (text) => {
      expect(await focusedText(page)).toBe(text);
      await page.keyboard.press("Escape");
    });
    expect(await page.locator(".cards > .card").count()).toBe(onSelections.length);
    expect(review.child.exitCode).toBeNull();
    expect(errors).toEqual([]);
    review.child.kill("SIGTERM");
    await review.ended;
  });

  it("decide nothing and are kept in every other state of the page", { timeout: 480_000 }, async () => {
    const review = await startReview(home, hookEvent(`${samplePlan}\nStates.\n`, home.path));
    const { page, errors } = await openReview(browser, review.url);
    const dialog = page.locator("dialog[open]");
    const reset = async () => {
      for (let step = 0; step < 4; step += 1) {
        if ((await dialog.count()) === 0 && (await page.locator(".composer").count()) === 0) break;
        await page.keyboard.press("Escape");
      }
      await dialog.waitFor({ state: "detached" });
      await page.getByText("Plan", { exact: true }).first().click();
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    };
    const button = (name: string | RegExp) => page.locator(".header-decide").getByRole("button", { name });
    const states: (() => Promise<unknown>)[] = [
      async () => undefined,
      () => page.keyboard.press("j"),
      () => page.keyboard.press("g"),
      () => button("Approve").click(),
      () => button(/Deny|Request changes/).click(),
      () => button("Approve").focus(),
      () => page.getByText("Source", { exact: true }).click(),
      () => page.getByText("Edit", { exact: true }).click(),
      () => page.keyboard.press("?"),
      () => page.getByRole("button", { name: "More" }).click(),
      () => page.locator(".plan p").first().click(),
      () => page.waitForTimeout(300),
    ];
    await typeIn(
      page,
      inOtherStates,
      states.map((state) => async () => {
        await reset();
        await state();
      }),
      async (text) => {
        expect(review.child.exitCode, text).toBeNull();
        expect(await page.locator(".page[data-view]").count(), text).toBe(1);
      },
    );
    expect(await page.locator('[role="menu"]:popover-open').count()).toBeLessThan(2);
    expect(errors).toEqual([]);
    review.child.kill("SIGTERM");
    expect((await review.ended).stdout).toBe("");
  });
});

describe("ordinary sentences on the code page", () => {
  it("become complete comments on the selected lines, and decide nothing", {
    timeout: 480_000,
  }, async () => {
    const { page, child, errors } = await openCodeReview(browser, await changedRepository());
    await page.locator(".code-text").first().waitFor();
    let kept = 0;
    const states = ["line29", "line33"].map((text) => () => selectText(page, text, "#diff"));
    await typeIn(page, onSelections, states, async (text) => {
      expect(await focusedText(page)).toBe(text);
      // Most comments are discarded, so that the lines stay in view.
      kept += 1;
      if (kept % 10 === 0) await page.keyboard.press("Escape");
      else await page.getByRole("button", { name: "Discard", exact: true }).click();
    });
    await expect
      .poll(() => page.locator(".status-line").textContent())
      .toContain(`${onSelections.length / 10} comments`);
    expect(child.exitCode).toBeNull();
    expect(errors).toEqual([]);
    child.kill("SIGTERM");
  });

  it("fold, mark, edit and decide nothing in every other state of the page", {
    timeout: 480_000,
  }, async () => {
    const review = await openCodeReview(browser, await changedRepository());
    const { page, child, errors } = review;
    await page.locator(".code-text").first().waitFor();
    await selectText(page, "line29", "#diff");
    await page.keyboard.type("A comment that stays as it is");
    await page.keyboard.press("Escape");
    const dialog = page.locator("dialog[open]");
    // Layout, line wrap and whitespace are settings, which the page sends to the server.
    const settings: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "PUT" && request.url().endsWith("/api/settings")) settings.push(request.url());
    });
    const shape = () =>
      page.evaluate(() => ({
        folded: document.querySelectorAll('.file-fold[aria-expanded="false"]').length,
        viewed: document.querySelectorAll(".tree-file-viewed").length,
      }));
    const reset = async () => {
      for (let step = 0; step < 4 && (await dialog.count()) > 0; step += 1)
        await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      const filter = page.locator("#file-filter");
      if ((await filter.inputValue()) !== "") await filter.fill("");
      if ((await page.locator(".find-bar").count()) > 0)
        await page.getByRole("button", { name: /Close the search/ }).click();
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      await page.keyboard.press("Home");
    };
    const states: (() => Promise<unknown>)[] = [
      async () => undefined,
      () => page.keyboard.press("j"),
      () => page.keyboard.press("g"),
      () => page.keyboard.press("f"),
      () => page.locator("header.header").getByRole("button", { name: "Approve" }).click(),
      () => page.locator("header.header").getByRole("button", { name: /^Send/ }).click(),
      () => page.locator("header.header").getByRole("button", { name: "Approve" }).focus(),
      () => page.keyboard.press("/"),
      () => page.keyboard.press("Control+k"),
      () => page.keyboard.press("?"),
      () => page.locator(".code.removed").first().click(),
    ];
    const before = await shape();
    await typeIn(
      page,
      inOtherStates,
      states.map((state) => async () => {
        await reset();
        await state();
      }),
      async (text) => {
        expect(child.exitCode, text).toBeNull();
        expect(await page.locator(".review").count(), text).toBe(1);
      },
    );
    await reset();
    expect(await shape()).toEqual(before);
    expect(settings).toEqual([]);
    await draftSaved(page);
    const draft = await fetch(new URL("/api/draft", review.url)).then((response) => response.text());
    expect(draft.split('"A comment that stays as it is"')).toHaveLength(2);
    expect(errors).toEqual([]);
    child.kill("SIGTERM");
    expect((await review.ended).stdout).toBe("");
  });
});
