import type { FrameLocator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile } from "../support/browser.ts";
import { type Editor, type RunningFile, startEditor } from "./support/code-server.ts";

const browser = await launchBrowserForFile();

async function openWorkbench({ url }: Editor): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(url);
  await page.locator(".monaco-workbench .explorer-folders-view").getByText("size.ts").waitFor();
  return page;
}

const quickInput = (page: Page) => page.locator(".quick-input-widget input.input");

/** Runs a command by its title. The extension may still be starting. */
async function runCommand(page: Page, title: string): Promise<void> {
  const input = quickInput(page);
  await expect
    .poll(async () => {
      // In a file, Escape removes the selection.
      if (await input.isVisible()) await page.keyboard.press("Escape");
      await page.keyboard.press("F1");
      await input.fill(`>${title}`);
      return page.locator(".quick-input-list .monaco-list-row").first().textContent();
    })
    .toContain(title.replace("Sallyport: ", ""));
  await page.keyboard.press("Enter");
}

/** The review's page, in the frames of the editor's tab. */
function reviewFrame(page: Page): FrameLocator {
  return page.frameLocator("iframe.webview.ready").frameLocator("#active-frame").frameLocator("iframe");
}

async function onlyReview(editor: Editor): Promise<RunningFile> {
  await expect.poll(() => editor.reviews()).toHaveLength(1);
  const [review] = await editor.reviews();
  if (!review) throw new Error("no review is open");
  return review;
}

describe("the extension in VS Code's open-source build", () => {
  it("opens a review in a tab, and shows an agent's finding at its line", async () => {
    const editor = await startEditor();
    const page = await openWorkbench(editor);
    await runCommand(page, "Sallyport: Review This Change");
    const review = await onlyReview(editor);
    await reviewFrame(page).getByText("größe").first().waitFor();

    await fetch(`http://localhost:${review.port}/api/threads`, {
      method: "POST",
      headers: { authorization: `Bearer ${review.token}`, "content-type": "application/json" },
      body: JSON.stringify({
        anchor: { kind: "lines", path: "size.ts", side: "new", lineStart: 1, lineEnd: 1 },
        type: "finding",
        severity: "warning",
        markdown: "Use **const**.",
        author: { kind: "agent", name: "codex" },
      }),
    });
    await page.locator(".explorer-folders-view").getByText("size.ts").dblclick();
    await page.locator(".comment-thread-unresolved").first().waitFor();
  });

  it("sends the selected lines as a comment to the agent", async () => {
    const editor = await startEditor();
    const page = await openWorkbench(editor);
    await page.locator(".explorer-folders-view").getByText("size.ts").dblclick();
    await page.locator(".view-line").getByText("größe").click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+End");
    await runCommand(page, "Sallyport: Send Selection as Comment");
    await page.getByText("Comment for the agent").waitFor();
    await quickInput(page).fill("Name both in «English».");
    await page.keyboard.press("Enter");
    await page.locator(".notifications-toasts").getByText("Send to the Agent").click();
    const review = await onlyReview(editor);
    const response = await fetch(`http://localhost:${review.port}/api/wait`, {
      method: "POST",
      headers: { authorization: `Bearer ${review.token}`, "content-type": "application/json" },
      body: JSON.stringify({ timeout: 60 }),
    });
    expect(await response.json()).toMatchObject({
      event: "feedback",
      threads: [
        {
          anchor: { kind: "lines", path: "size.ts", lineStart: 1, lineEnd: 2 },
          messages: [{ author: { kind: "person" }, markdown: "Name both in «English»." }],
        },
      ],
    });
  });
});
