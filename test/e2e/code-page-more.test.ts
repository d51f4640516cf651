import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { chooseOption, launchBrowserForFile } from "../support/browser.ts";
import {
  changedRepository,
  draftSaved,
  dragLines,
  numberCell,
  openCodeReview,
  sendFeedback,
  writeComment,
  writeGeneralComment,
} from "../support/code-review-page.ts";
import { PNG } from "../support/images.ts";
import { testRepository } from "../support/test-repository.ts";

const browser = await launchBrowserForFile();

const section = (page: Page, path: string) => page.locator(`section[data-path="${path}"]`);

/** The response of a running OpenCode to `GET /agent`. */
async function openCode(agents: readonly object[]): Promise<string> {
  const server: Server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json").end(JSON.stringify(agents));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("the code review page", () => {
  it("lists the files that the diff omits, also if the diff is empty", async () => {
    const repository = await testRepository({ ".gitignore": "dist/\n" });
    await repository.write({ "dist/one.js": "x\n", "dist/two.js": "x\n" });
    const { page } = await openCodeReview(browser, repository);
    const banner = page.locator(".banner", { hasText: "1 ignored file is not shown" });
    await banner.getByRole("button", { name: "Show names" }).click();
    expect(await banner.locator("code").allTextContents()).toEqual(["dist/"]);
    await banner.getByRole("button", { name: "Dismiss" }).click();
    await expect.poll(() => banner.count()).toBe(0);
  });

  it("switches to another agent of OpenCode", async () => {
    const url = await openCode([
      { name: "build", mode: "primary", description: "Writes code" },
      { name: "plan", mode: "primary" },
      { name: "helper", mode: "subagent" },
    ]);
    const review = await openCodeReview(browser, await changedRepository(), {
      environment: { SERVICE_OPENCODE_URL: url },
      flags: ["--origin", "opencode"],
    });
    const { page } = review;
    await writeGeneralComment(page, "Go on, please.");
    await page.keyboard.press("Control+Shift+Enter");
    const choice = page.getByLabel("Continue with agent");
    await expect
      .poll(() => choice.locator("option").allTextContents())
      .toEqual(["The agent that asked", "build: Writes code", "plan"]);
    await chooseOption(choice, "plan");
    await page.getByRole("dialog").getByRole("button", { name: "Send feedback" }).click();
    const { stdout } = await review.ended;
    expect(stdout).toContain("Go on, please.");
    expect(stdout).toContain('Continue as the agent "plan".');
  });

  it("accepts images by file dialog, paste and drop, and sends the agent their paths", async () => {
    const review = await openCodeReview(browser, await changedRepository());
    const { page } = review;
    await dragLines(page, "src/cart.ts", "new", 30, 30);
    const editor = page.locator(".comment-open");
    const shown = () => editor.locator("img").count();
    const image = { name: "chosen.png", mimeType: "image/png", buffer: PNG };
    await editor.locator('input[type="file"]').setInputFiles(image);
    await expect.poll(shown).toBe(1);
    for (const [type, name, count] of [
      ["paste", "pasted.png", 2],
      ["drop", "dropped.png", 3],
    ] as const) {
      await editor.locator("textarea").evaluate(
        (field, given) => {
          const data = new DataTransfer();
          data.items.add(new File([new Uint8Array(given.bytes)], given.name, { type: "image/png" }));
          const init = { bubbles: true, cancelable: true };
          const event =
            given.type === "paste"
              ? new ClipboardEvent("paste", init)
              : new DragEvent("drop", { ...init, dataTransfer: data });
          // Firefox ignores the option of the constructor.
          if (given.type === "paste") Object.defineProperty(event, "clipboardData", { value: data });
          field.dispatchEvent(event);
        },
        { type, name, bytes: [...PNG] },
      );
      await expect.poll(shown).toBe(count);
    }
    await page.keyboard.press("Escape");
    await draftSaved(page);
    await page.reload();
    await expect.poll(() => page.locator(".comment img").count()).toBe(3);
    await sendFeedback(page);
    const { stdout } = await review.ended;
    expect(stdout.match(/^- (chosen|pasted|dropped)\.png: `.+\.png`$/gm)).toHaveLength(3);
  });

  it("shows any valid commit or base, rejects others, and states the diff of a comment", async () => {
    const repository = await changedRepository();
    await repository.git("commit", "--quiet", "-am", "second");
    await repository.git("tag", "one", "HEAD~1");
    await repository.write({ "src/cart.ts": "export const all = 'new';\n" });
    const review = await openCodeReview(browser, repository);
    const { page } = review;
    const select = page.getByLabel("What is compared");
    await numberCell(page, "src/cart.ts", "new", 1).click();
    await page.locator(".comment-open textarea").fill("On the work in progress");
    await page.keyboard.press("Control+Enter");

    const ask = async (name: string) => {
      await select.selectOption("another");
      await page.getByRole("dialog").getByRole("combobox").fill(name);
      await page.getByRole("dialog").getByRole("button", { name: "Show" }).click();
    };
    await ask("nothing-by-that-name");
    await page.locator(".toast", { hasText: "Unknown diffType" }).waitFor();
    await page.keyboard.press("Escape");
    await ask("HEAD");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(() => page.locator(".status-ref").textContent()).toContain("HEAD~1..HEAD");
    await page.keyboard.press(".");
    await expect.poll(() => page.locator(".sidebar").textContent()).toContain("made on Uncommitted changes");
    await select.selectOption("another");
    await page.getByRole("dialog").getByText("All changes since a base").click();
    await page.getByRole("dialog").getByRole("combobox").fill("one");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator(".status-ref").textContent()).toContain("one..HEAD");
    await select.selectOption("uncommitted");
    await expect.poll(() => page.locator(".sidebar").textContent()).not.toContain("made on");
    await section(page, "src/cart.ts").locator(".comment", { hasText: "On the work in progress" }).waitFor();
    review.child.kill("SIGTERM");
  });

  it("copies a path, links to the editor, and accepts comments on a file and on the whole change", async () => {
    const review = await openCodeReview(browser, await changedRepository(), {
      environment: { ZED_TERM: "true" },
    });
    const { page, repository } = review;
    const cart = section(page, "src/cart.ts");
    await cart.getByRole("button", { name: "Copy the path src/cart.ts" }).click();
    await page.locator(".toast", { hasText: "Path copied" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("src/cart.ts");
    const link = cart.getByRole("link", { name: "Open src/cart.ts in the editor" });
    expect(await link.getAttribute("href")).toBe(`zed://file${repository.root}/src/cart.ts:1`);

    await cart.getByRole("button", { name: "Comment on src/cart.ts as a whole" }).click();
    await cart.locator(".comment-open textarea").fill("Split this file.");
    await page.keyboard.press("Control+Enter");
    await writeGeneralComment(page, "A good start.");
    await sendFeedback(page);
    const { stdout } = await review.ended;
    expect(stdout).toContain("## General\n\n### 1. Comment on the whole change\n\nA good start.");
    expect(stdout).toContain("## `src/cart.ts`\n\n### 2. Comment on the whole file\n\nSplit this file.");
  });

  it("expands the lines around a comment on the old side between hunks", async () => {
    const review = await openCodeReview(browser, await changedRepository());
    const { page } = review;
    const cart = section(page, "src/cart.ts");
    await cart.getByRole("button", { name: "Show all lines" }).click();
    await writeComment(page, "src/cart.ts", [44, 45], "Before the change", "old");
    await draftSaved(page);
    await page.reload();
    await expect
      .poll(() => cart.locator(".comment").textContent())
      .toContain("lines 44-45, before the change");
    await numberCell(page, "src/cart.ts", "old", 44).waitFor();
    await sendFeedback(page);
    const { stdout } = await review.ended;
    expect(stdout).toContain("Comment on lines 44-45 (old side: before the change)");
    expect(stdout).toContain("  const line44 = price * 44;\n  const line45 = price * 45;");
  });

  it("scrolls unwrapped lines sideways with a scroll bar", async () => {
    const review = await openCodeReview(browser, await changedRepository(), { height: 2_400 });
    const { page } = review;
    const bar = page.locator(".sideways-bar");
    expect(await bar.count()).toBe(0);
    await page.getByRole("button", { name: "View", exact: true }).click();
    await page
      .getByRole("menuitemradio", { name: "Don't wrap lines" })
      .or(page.getByText("Don't wrap lines"))
      .first()
      .click();
    const end = section(page, "src/long.ts").getByRole("button", { name: "more characters" });
    const leftOf = async () => (await end.boundingBox())?.x ?? 0;
    await bar.waitFor();
    await expect.poll(leftOf).toBeGreaterThan(1_280);
    await bar.evaluate((element) => element.scrollTo(element.scrollWidth, 0));
    await expect.poll(leftOf).toBeLessThan(1_280);
    review.child.kill("SIGTERM");
  });

  it("closes the file list in a narrow window once a file is chosen", async () => {
    const review = await openCodeReview(browser, await changedRepository(), { width: 360 });
    const { page } = review;
    await page.getByRole("button", { name: "Files", exact: true }).click();
    const tree = page.getByRole("navigation", { name: "Files" });
    await tree.getByText("cart.ts").click();
    await tree.waitFor({ state: "detached" });
    await section(page, "src/cart.ts").waitFor();
    review.child.kill("SIGTERM");
  });

  it("marks the selected entries of the view menu", async () => {
    const review = await openCodeReview(browser, await changedRepository());
    const { page } = review;
    await page.getByRole("button", { name: "View", exact: true }).click();
    const marks = await page
      .getByRole("menuitemradio")
      .evaluateAll((items) => items.map((item) => getComputedStyle(item, "::before").content));
    expect(marks).toHaveLength(9);
    expect(marks.filter((mark) => mark.includes("✓"))).toHaveLength(4);
    review.child.kill("SIGTERM");
  });

  it("keeps the width of tabs for later reviews, also in the first paint", async () => {
    const repository = await changedRepository();
    await repository.write({ "src/a-tab.go": "\treturn\n" });
    const review = await openCodeReview(browser, repository);
    const { page } = review;
    const tabSize = () =>
      page
        .locator(".code")
        .first()
        .evaluate((element) => getComputedStyle(element).tabSize);
    expect(await tabSize()).toBe("4");
    await page.getByRole("button", { name: "View", exact: true }).click();
    await page.getByRole("menuitemradio", { name: "Tabs of 8 columns" }).click();
    await expect.poll(tabSize).toBe("8");
    await expect
      .poll(async () => await (await fetch(page.url())).text())
      .toContain('<main class="diff" data-tab-width="8">');
    await page.reload();
    await section(page, "src/a-tab.go").waitFor();
    await expect.poll(tabSize).toBe("8");
    review.child.kill("SIGTERM");
  });

  it("does not mark files as changed that an earlier review of another diff lacked", async () => {
    const repository = await changedRepository();
    const first = await openCodeReview(browser, repository);
    await writeComment(first.page, "src/cart.ts", [30, 30], "Round one");
    await sendFeedback(first.page);
    await first.ended;
    const { page, child } = await openCodeReview(browser, repository);
    await page
      .getByText("You sent feedback on this diff just now. No file has changed since then.")
      .waitFor();
    await page.getByLabel("What is compared").selectOption("last-commit");
    await page
      .getByText("You sent feedback on another diff of this branch just now: Uncommitted changes.")
      .waitFor();
    expect(await page.getByText(/new since|changed since/).count()).toBe(0);
    expect(await page.locator(".tree-since").count()).toBe(0);
    child.kill("SIGTERM");
  });

  it("marks exactly the new lines in a second review, and shows what happened to the old ones", async () => {
    const repository = await changedRepository();
    const first = await openCodeReview(browser, repository);
    await writeComment(first.page, "src/cart.ts", [30, 30], "Round one");
    await sendFeedback(first.page);
    await first.ended;

    const text = await repository.git("show", "HEAD:src/cart.ts");
    const changed = text
      .replace("  const line30 = price * 30;", "  const line30 = reduced(price);")
      .replace("  const line50 = price * 50;", "  const line50 = 50;")
      .replace("  const line32 = price * 32;\n", "");
    await repository.write({ "src/cart.ts": changed });
    const { page, child } = await openCodeReview(browser, repository);
    const marked = section(page, "src/cart.ts").locator(".num.since");
    await expect
      .poll(async () => (await marked.allInnerTexts()).map((number) => Number.parseInt(number, 10)))
      .toEqual([30, 50, 49]);
    await page.getByRole("button", { name: "Earlier feedback" }).first().click();
    await expect
      .poll(() => page.getByRole("dialog").textContent())
      .toContain("these lines have changed since");
    child.kill("SIGTERM");
  });
});
