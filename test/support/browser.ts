import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from "playwright-core";
import { afterAll, onTestFinished, TestRunner } from "vitest";
import { findChromium } from "../../scripts/chromium.mjs";
import { clipboardPermissions, fillByEditing, isFirefox, startFirefox } from "./firefox.ts";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * Timeout of browser operations in milliseconds: long enough for a busy machine, and little more than half of a test's,
 * so that an operation that hangs fails at its own line in the test, also when it is not the first.
 */
const TIMEOUT_MS = 100_000;

/** The browsers of this worker, by their flags. */
const browsers = new Map<string, Promise<Browser>>();
const contexts = new Set<BrowserContext>();

/**
 * Returns a real Chromium, or Firefox in the project `firefox`, which the test files of a worker share: `close` closes the contexts that are still open. It
 * ends with the worker. Throws if the machine has none, so that browser tests are never skipped.
 */
export function launchBrowser(moreFlags: readonly string[] = []): Promise<Browser> {
  return isFirefox
    ? shared("firefox", () => startFirefox(TIMEOUT_MS))
    : shared(moreFlags.join(" "), () => startChromium(moreFlags));
}

/** Returns the browser of `launchBrowser` for a test file, whose contexts are closed after its tests. */
export async function launchBrowserForFile(moreFlags: readonly string[] = []): Promise<Browser> {
  const browser = await launchBrowser(moreFlags);
  afterAll(() => browser.close());
  return browser;
}

function shared(key: string, start: () => Promise<Browser>): Promise<Browser> {
  const browser = browsers.get(key) ?? start().then(withSharedContexts);
  browsers.set(key, browser);
  return browser;
}

async function startChromium(moreFlags: readonly string[]): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error("No Chromium found. Install one, or name it in CHROMIUM.");
  return chromium.launch({ executablePath, args: [...FLAGS, ...moreFlags], timeout: TIMEOUT_MS });
}

function withSharedContexts(browser: Browser): Browser {
  browser.once("disconnected", () => browsers.clear());
  return Object.assign(browser, { close: closeContexts });
}

async function closeContexts(): Promise<void> {
  await Promise.all([...contexts].map((context) => context.close()));
}

/** Opens a context for pages that may take as long as the machine needs. It is closed when its test has finished. */
export async function newContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(TIMEOUT_MS);
  if (isFirefox) await context.addInitScript(fillByEditing);
  contexts.add(context);
  context.once("close", () => contexts.delete(context));
  // A page that is left open reconnects to its server and draws for the rest of the file.
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => context.close());
  return context;
}

/** A page in a separate context, without the additions of `openPage`. */
export async function newPage(browser: Browser): Promise<Page> {
  return (await newContext(browser)).newPage();
}

/**
 * Messages disappear after 4 or 10 s, and a diagram must be rendered within 10 s; a busy machine can take longer.
 * Here, messages stay until they are dismissed, and diagrams have no time limit.
 */
function disableUiTimeouts(): void {
  const { setTimeout } = window;
  const patient = (run: TimerHandler, milliseconds = 0, ...given: unknown[]) =>
    milliseconds === 4_000 || milliseconds === 10_000 ? 0 : setTimeout(run, milliseconds, ...given);
  window.setTimeout = patient as typeof window.setTimeout;
}

export interface OpenOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: "light" | "dark";
}

/** A page in a separate context, with its network requests and its errors. */
export interface OpenedPage {
  readonly page: Page;
  /** Requested URLs of other origins. */
  readonly foreignRequests: string[];
  readonly errors: string[];
}

export async function openPage(
  browser: Browser,
  url: string,
  options: OpenOptions = {},
): Promise<OpenedPage> {
  const { width = 1280, height = 860, theme = "light" } = options;
  const context = await newContext(browser, {
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: "reduce",
    permissions: clipboardPermissions,
    acceptDownloads: true,
  });
  await context.addInitScript(disableUiTimeouts);
  const page = await context.newPage();
  const foreignRequests: string[] = [];
  const errors: string[] = [];
  const origin = new URL(url).origin;
  page.on("request", (request) => {
    const target = request.url();
    if (!/^(data|blob):/.test(target) && new URL(target).origin !== origin) foreignRequests.push(target);
  });
  page.on("pageerror", (error) => errors.push(error.message));
  if (isFirefox) failOnErrors(page, errors);
  await page.goto(url);
  return { page, foreignRequests, errors };
}

/** Fails the test if a script of the page throws or reports an error on the console. */
function failOnErrors(page: Page, errors: string[]): void {
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  if (TestRunner.getCurrentTest() === undefined) return;
  onTestFinished(() => {
    if (errors.length > 0) throw new Error(`Errors of the page: ${errors.join("; ")}`);
  });
}

/** The same, and waits until the plan is interactive: it is readable before any script has run. */
export async function openReview(
  browser: Browser,
  url: string,
  options: OpenOptions = {},
): Promise<OpenedPage> {
  const opened = await openPage(browser, url, options);
  await opened.page.locator(".page[data-view] .plan .markdown > *").first().waitFor();
  return opened;
}

/**
 * Types a sentence: the beginning with a pause after each key, while the page opens the text field, and the rest
 * without pauses.
 */
export async function typeSentence(page: Page, text: string, delay = 0): Promise<void> {
  await page.keyboard.type(text.slice(0, 6), { delay });
  await page.keyboard.type(text.slice(6));
}

/**
 * Selects an option by its value. In Firefox, the page's process ended in tests when this was `selectOption`, and in
 * one of them also without it; the cause is unknown. There, the value is set and the events of a choice are sent.
 */
export async function chooseOption(select: Locator, value: string): Promise<void> {
  if (!isFirefox) return void (await select.selectOption(value));
  await select.evaluate((element: HTMLSelectElement, wanted) => {
    element.value = wanted;
    for (const type of ["input", "change"]) element.dispatchEvent(new Event(type, { bubbles: true }));
  }, value);
}

/** Selects the first occurrence of `text` below `selector` with the mouse, as a person does. */
export async function selectText(page: Page, text: string, selector = ".plan"): Promise<void> {
  const found = await page.evaluate(
    async ([wanted, root]) => {
      const walker = document.createTreeWalker(
        document.querySelector(root) ?? document.body,
        NodeFilter.SHOW_TEXT,
      );
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const at = node.textContent?.indexOf(wanted) ?? -1;
        if (at === -1) continue;
        node.parentElement?.scrollIntoView({ block: "center" });
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + wanted.length);
        // An editor that has just opened or closed can still move the text.
        for (let before = ""; ; ) {
          await new Promise((next) => setTimeout(next, 40));
          const now = JSON.stringify(range.getBoundingClientRect());
          if (now === before) break;
          before = now;
        }
        const boxes = [...range.getClientRects()];
        const [first, last] = [boxes[0], boxes.at(-1)];
        if (!first || !last) return undefined;
        return {
          x: first.left,
          y: first.top + first.height / 2,
          toX: last.right,
          toY: last.top + last.height / 2,
        };
      }
      return undefined;
    },
    [text, selector] as const,
  );
  if (!found) throw new Error(`"${text}" is not on the page`);
  await page.mouse.move(found.x + 0.5, found.y);
  await page.mouse.down();
  await page.mouse.move(found.toX - 0.5, found.toY, { steps: 4 });
  await page.mouse.up();
}
