import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { type OpenedPage, type OpenOptions, openPage } from "./browser.ts";
import { makeDataDirectory } from "./compiled-command.ts";
import { PNG } from "./images.ts";
import { type TestRepository, testRepository } from "./test-repository.ts";

const COMMAND = resolve(import.meta.dirname, "../../dist/sallyport.js");

export interface RunningCodeReview {
  readonly repository: TestRepository;
  readonly url: string;
  readonly child: ChildProcess;
  /** The command's output and exit code, once it has ended. */
  readonly ended: Promise<{ readonly stdout: string; readonly code: number | null }>;
}

export interface CodeReviewPage extends OpenedPage, RunningCodeReview {}

interface StartOptions {
  /** `review plan` is started without stdin. */
  readonly command?: "code" | "plan";
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const lines = (count: number, text: (number: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index + 1));

const cart = lines(60, (number) => `  const line${number} = price * ${number};`);

/** A repository with uncommitted changes of every kind. */
export async function changedRepository(): Promise<TestRepository> {
  const repository = await testRepository({
    "src/cart.ts": `${cart.join("\n")}\n`,
    "src/old-name.ts": `${lines(12, (number) => `export const kept${number} = ${number};`).join("\n")}\n`,
    "src/spaces.ts": "if (a) {\n  run();\n}\n",
    "notes.md": "# Notes\n\nOld words.\n",
    "pixel.png": PNG,
    "package-lock.json": '{\n  "a": 1\n}\n',
  });
  const changed = cart.map((line, index) => (index === 29 ? "  const line30 = discount(price);" : line));
  changed.splice(31, 1);
  await repository.git("mv", "src/old-name.ts", "src/new-name.ts");
  await repository.write({
    "src/cart.ts": `${changed.join("\n")}\n`,
    "src/spaces.ts": "if (a) {\n    run();\n}\n",
    "notes.md": "# Notes\n\nNew words, <b>not bold</b>.\n",
    "pixel.png": Buffer.concat([PNG, Buffer.from("more")]),
    "package-lock.json": '{\n  "a": 2\n}\n',
    "src/fresh.ts": "export const fresh = true;\n",
    "src/long.ts": `export const data = "${"x".repeat(5_000)}";\n`,
  });
  await repository.git("add", "notes.md");
  return repository;
}

/** Starts `review code` in a repository as an agent would and opens its page. */
export async function openCodeReview(
  browser: Browser,
  repository: TestRepository,
  options: OpenOptions & StartOptions & { readonly path?: string } = {},
): Promise<CodeReviewPage> {
  const review = await startCodeReview(repository, options);
  const opened = await openPage(browser, review.url + (options.path ?? ""), options);
  await opened.page.locator(".review:not(.prerendered)").waitFor();
  return { ...opened, ...review };
}

/** Starts a review in a repository as an agent would. */
export async function startCodeReview(
  repository: TestRepository,
  { command = "code", flags = [], environment = {} }: StartOptions = {},
): Promise<RunningCodeReview> {
  await makeDataDirectory(join(repository.outside, "data"));
  const child = spawn(process.execPath, [COMMAND, "review", command, "--no-open", ...flags], {
    cwd: repository.root,
    env: {
      ...repository.environment,
      ...environment,
      TMPDIR: repository.outside,
      SERVICE_HOME: join(repository.outside, "data"),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  // The repository is removed next, so the command must not run git in it any more.
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  let stdout = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  const ended = once(child, "close").then(([code]) => ({ stdout, code: code as number | null }));
  const url = await printedUrl(child);
  return { repository, url, child, ended };
}

async function printedUrl(child: ChildProcess): Promise<string> {
  let stderr = "";
  for await (const chunk of child.stderr ?? []) {
    stderr += chunk;
    const url = /http:\/\/localhost:\d+/.exec(stderr)?.[0];
    if (url) {
      child.stderr?.resume();
      return url;
    }
  }
  throw new Error(`the review did not start: ${stderr}`);
}

/** The cell with a line's number. */
export function numberCell(page: Page, path: string, side: "old" | "new", line: number): Locator {
  return page.locator(`[data-path="${path}"] .num[data-side="${side}"][data-line="${line}"]`).first();
}

/** Drags over line numbers with the mouse, as a person selects lines. */
export async function dragLines(
  page: Page,
  path: string,
  side: "old" | "new",
  from: number,
  to: number,
): Promise<void> {
  // The Markdown renderer and images load late and can move the lines below them.
  await expect.poll(() => page.locator(".comment-plain").count()).toBe(0);
  const images = page.locator(".image-comparison img");
  await expect
    .poll(() =>
      images.evaluateAll((all) => all.every((image) => (image as HTMLImageElement).naturalWidth > 0)),
    )
    .toBe(true);
  const within = { position: { x: 8, y: 8 } };
  await numberCell(page, path, side, from).hover(within);
  await page.mouse.down();
  await numberCell(page, path, side, to).hover(within);
  await page.mouse.up();
}

/** Comments on lines of a file, by default on the new side. */
export async function writeComment(
  page: Page,
  path: string,
  [from, to]: readonly [number, number],
  text: string,
  side: "old" | "new" = "new",
): Promise<void> {
  await dragLines(page, path, side, from, to);
  await page.locator(".comment-open textarea").fill(text);
  await page.keyboard.press("Control+Enter");
}

/** Comments on the change as a whole. */
export async function writeGeneralComment(page: Page, text: string): Promise<void> {
  await page.keyboard.press("g");
  await page.locator(".sidebar textarea").fill(text);
  await page.keyboard.press("Control+Enter");
}

/** Sends the feedback once the dialog has composed the text. */
export async function sendFeedback(page: Page): Promise<void> {
  await page.keyboard.press("Control+Shift+Enter");
  const dialog = page.getByRole("dialog");
  await expect.poll(() => dialog.locator("textarea").inputValue()).not.toBe("");
  await dialog.getByRole("button", { name: "Send feedback" }).click();
}

/** Waits until the server has stored all typed text. */
export async function draftSaved(page: Page): Promise<void> {
  await page.locator(".status-line", { hasText: "Draft saved" }).waitFor();
}
