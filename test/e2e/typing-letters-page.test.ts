import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, openReview, selectText, typeSentence } from "../support/browser.ts";
import { changedRepository, openCodeReview } from "../support/code-review-page.ts";
import { hookEvent, makeHomeForFile, startReview } from "../support/plan-review.ts";
import { samplePlan } from "../support/plans.ts";
import { letterSentences } from "../support/sentences.ts";

const home = await makeHomeForFile();
const browser = await launchBrowserForFile();

/** A state of the page, produced by `enter`; `field` is the text field that receives the typed text. */
interface State {
  readonly name: string;
  readonly enter: () => Promise<unknown>;
  readonly field?: string;
}

const DELAYS_MS = [0, 15, 40];

/**
 * In a state, types a sentence for every fourth letter, at typing speed and faster, and expects the complete sentence
 * in the field. The states alternate, so that each letter is typed in at least two states.
 */
async function typeLetters(page: Page, turn: number, state: State, reset: () => Promise<void>) {
  const { name, enter, field = ".composer textarea, .comment-open textarea" } = state;
  const lost: string[] = [];
  for (const [at, sentence] of letterSentences(turn).entries()) {
    if ((at + turn) % 4 !== 0) continue;
    await reset();
    await enter();
    await typeSentence(page, sentence, DELAYS_MS[at % DELAYS_MS.length]);
    const typed = await page.evaluate((selector) => {
      const active = document.activeElement;
      const isField = active instanceof HTMLTextAreaElement || active instanceof HTMLInputElement;
      return isField && active.matches(selector)
        ? active.value
        : `no field: ${active?.outerHTML.slice(0, 80)}`;
    }, field);
    if (typed !== sentence) lost.push(`${name}: “${sentence}” became “${typed}”`);
  }
  expect(lost).toEqual([]);
}

const blur = (page: Page) => page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());

describe("sentences that begin with each letter on the plan page", () => {
  it("are kept completely in every state, and decide nothing", { timeout: 480_000 }, async () => {
    const review = await startReview(home, hookEvent(samplePlan, home.path));
    const { page, errors } = await openReview(browser, review.url);
    const dialog = page.locator("dialog[open]");
    const discard = page.getByRole("button", { name: "Discard", exact: true });
    const button = (name: string) => page.locator(".header-decide").getByRole("button", { name });
    const reset = async () => {
      if ((await dialog.count()) > 0) {
        const note = dialog.locator("textarea").first();
        if ((await note.count()) > 0) await note.fill("");
        await page.keyboard.press("Escape");
        await dialog.waitFor({ state: "detached" });
      }
      // A repeated run also finds the draft of the first one, with its own button.
      while ((await discard.count()) > 0) await discard.first().click();
      await page.evaluate(() => getSelection()?.removeAllRanges());
      await page.keyboard.press("Escape");
      await blur(page);
    };
    const block = page.locator(".plan p").first();
    const states: readonly State[] = [
      { name: "nothing selected", enter: async () => undefined },
      { name: "text selected", enter: () => selectText(page, "single point of failure") },
      { name: "cursor on a block", enter: () => page.keyboard.press("ArrowDown").then(() => block.click()) },
      {
        name: "dialog open",
        enter: () => button("Approve").click(),
        field: "dialog textarea",
      },
      {
        name: "dialog open, button focused",
        enter: async () => {
          await button("Deny").click();
          await dialog.getByRole("button").last().focus();
        },
        field: "dialog textarea",
      },
      {
        name: "comment open",
        enter: async () => {
          await selectText(page, "single point of failure");
          await page.keyboard.press("Control");
          await page.getByRole("button", { name: "Comment", exact: true }).click();
        },
      },
      {
        name: "comment open, page clicked",
        enter: async () => {
          await selectText(page, "single point of failure");
          await page.getByRole("button", { name: "Comment", exact: true }).click();
          await page.locator(".composer textarea").waitFor();
          await blur(page);
        },
      },
      { name: "contents focused", enter: () => page.locator(".toc a, .contents a").first().focus() },
      { name: "help open", enter: () => page.keyboard.press("?").then(() => dialog.waitFor()) },
      { name: "menu open", enter: () => page.getByRole("button", { name: "More" }).click() },
    ];
    for (const [turn, state] of states.entries()) await typeLetters(page, turn, state, reset);
    expect(review.child.exitCode).toBeNull();

    await reset();
    await button("Approve").click();
    await dialog.getByRole("button", { name: /^Approve/ }).click();
    await page.getByText(/goes ahead/).waitFor();
    for (const sentence of letterSentences(0)) await page.keyboard.type(sentence);
    expect(await page.getByText(/goes ahead/).count()).toBe(1);
    expect(JSON.parse((await review.ended).stdout)).toMatchObject({
      hookSpecificOutput: { decision: { behavior: "allow" } },
    });
    expect(errors).toEqual([]);
  });
});

describe("sentences that begin with each letter on the code page", () => {
  it("are kept completely in every state, and decide nothing", { timeout: 480_000 }, async () => {
    const { page, child, errors, ended } = await openCodeReview(browser, await changedRepository());
    await page.locator(".code-text").first().waitFor();
    const dialog = page.locator("dialog[open]");
    const discard = page.getByRole("button", { name: "Discard", exact: true });
    const header = page.locator("header.header");
    const reset = async () => {
      if ((await dialog.count()) > 0) {
        const note = dialog.locator("textarea").first();
        if ((await note.count()) > 0) await note.fill("");
        await page.keyboard.press("Escape");
        await dialog.waitFor({ state: "detached" });
      }
      while ((await discard.count()) > 0) await discard.first().click();
      await page.evaluate(() => getSelection()?.removeAllRanges());
      await page.keyboard.press("Escape");
      await blur(page);
    };
    const states: readonly State[] = [
      { name: "nothing selected", enter: async () => undefined },
      { name: "text selected", enter: () => selectText(page, "line29", "#diff") },
      { name: "cursor on a line", enter: () => page.locator(".code.removed").first().click() },
      {
        name: "dialog without a field open",
        enter: () => header.getByRole("button", { name: "Approve" }).click(),
      },
      {
        name: "dialog open, button focused",
        enter: async () => {
          await header.getByRole("button", { name: /^Send/ }).click();
          await dialog.getByRole("button").last().focus();
        },
        field: "dialog textarea",
      },
      {
        name: "comment open",
        enter: async () => {
          await selectText(page, "line29", "#diff");
          await page.keyboard.type("c");
          await page.keyboard.press("Backspace");
        },
      },
      { name: "file tree focused", enter: () => page.locator(".tree-file").first().focus() },
      { name: "help open", enter: () => page.keyboard.press("?").then(() => dialog.waitFor()) },
      { name: "menu open", enter: () => page.getByRole("button", { name: "View" }).first().click() },
    ];
    for (const [turn, state] of states.entries()) await typeLetters(page, turn, state, reset);
    expect(child.exitCode).toBeNull();

    await reset();
    await header.getByRole("button", { name: "Approve" }).click();
    await dialog.getByRole("button", { name: /^Approve/ }).click();
    await dialog.waitFor({ state: "detached" });
    for (const sentence of letterSentences(0)) await page.keyboard.type(sentence);
    expect((await ended).stdout).toContain("approved");
    expect(errors).toEqual([]);
  });
});
