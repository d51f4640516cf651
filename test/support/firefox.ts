import { resolve } from "node:path";
import { type Browser, firefox, type Page } from "playwright-core";
import { findFirefox } from "../../scripts/firefox.mjs";

/** Whether the tests run in Firefox: the project `firefox` sets the variable. */
export const isFirefox = process.env["TEST_BROWSER"] === "firefox";

/** Firefox has no such permissions; a preference of `startFirefox` lets a page read the clipboard without a prompt. */
export const clipboardPermissions = isFirefox ? [] : ["clipboard-read", "clipboard-write"];

/**
 * Lets `fill` edit as a person does, when it runs in a page before its scripts. Playwright would assign the value and
 * send an `input` event, which React takes for no change.
 */
export function fillByEditing(): void {
  const insertText = (text: string) => void document.execCommand(text ? "insertText" : "delete", false, text);
  Object.defineProperty(window, "__pw_bidiInsertText", { get: () => insertText, set: () => {} });
}

/**
 * Starts the Firefox of the system with a new profile. Playwright drives it by WebDriver BiDi. Throws if the machine has
 * none.
 */
export async function startFirefox(timeout: number): Promise<Browser> {
  const program = findFirefox();
  if (!program) throw new Error("No Firefox found. Install one, or name it in FIREFOX.");
  return firefox.launch({
    channel: "moz-firefox",
    executablePath: resolve(import.meta.dirname, "firefox-relay.mjs"),
    env: { ...process.env, FIREFOX: program },
    firefoxUserPrefs: {
      "ui.prefersReducedMotion": 1,
      "dom.events.testing.asyncClipboard": true,
    },
    timeout,
  });
}

/**
 * Returns the text that the page would print, and its height. Playwright cannot emulate `print` in Firefox: the style
 * sheets' conditions are replaced instead, and restored.
 */
export function printedPage(page: Page): Promise<{ readonly text: string; readonly height: number }> {
  return page.evaluate(() => {
    const rules = (list: CSSRuleList): CSSMediaRule[] =>
      [...list].flatMap((rule) => [
        ...(rule instanceof CSSMediaRule ? [rule] : []),
        ...(rule instanceof CSSGroupingRule ? rules(rule.cssRules) : []),
      ]);
    const changed = [...document.styleSheets]
      .flatMap((sheet) => rules(sheet.cssRules))
      .filter(({ media }) => /^(?:print|screen)$/.test(media.mediaText))
      .map((rule) => ({ media: rule.media, before: rule.media.mediaText }));
    for (const { media, before } of changed) media.mediaText = before === "print" ? "all" : "not all";
    dispatchEvent(new Event("beforeprint"));
    // Not its textContent: what is not displayed is not printed.
    const text = String(Reflect.get(document.body, "innerText"));
    const height = document.documentElement.scrollHeight;
    dispatchEvent(new Event("afterprint"));
    for (const { media, before } of changed) media.mediaText = before;
    return { text, height };
  });
}
