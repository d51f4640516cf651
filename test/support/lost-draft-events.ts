import type { Browser, Page } from "playwright-core";
import { newContext } from "./browser.ts";

/** Opens a review in a page that does not receive the events of saved drafts, as while its connection is down. */
export async function openWithoutDraftEvents(browser: Browser, url: string): Promise<Page> {
  const context = await newContext(browser);
  await context.addInitScript(() => {
    window.EventSource = class extends EventSource {
      constructor(url: string | URL) {
        super(url);
        this.addEventListener("draft", (event) => event.stopImmediatePropagation());
        addEventListener("restored", ({ detail }: CustomEventInit<string>) =>
          this.dispatchEvent(new MessageEvent("hello", { data: detail })),
        );
      }
    };
  });
  const page = await context.newPage();
  const draft = page.waitForResponse(/\/api\/draft$/);
  await page.goto(url);
  await draft;
  await page.waitForLoadState("networkidle");
  return page;
}

/** Sends the page the first event of a connection, as when the connection is restored. */
export async function restoreConnection(page: Page, sessionId: string): Promise<void> {
  await page.evaluate(
    (detail) => dispatchEvent(new CustomEvent("restored", { detail })),
    JSON.stringify({ sessionId }),
  );
}
