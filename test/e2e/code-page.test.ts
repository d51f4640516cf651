import { describe, expect, it } from "vitest";
import { launchBrowserForFile } from "../support/browser.ts";
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

const browser = await launchBrowserForFile();

describe("the code review page", () => {
  it("extends a drag to the line that scrolls below the resting pointer", async () => {
    const { page, child } = await openCodeReview(browser, await changedRepository());
    await page
      .locator('section[data-path="src/cart.ts"]')
      .getByRole("button", { name: "Show all lines" })
      .click();
    await numberCell(page, "src/cart.ts", "new", 10).hover({ position: { x: 8, y: 8 } });
    const scrollTop = () => page.locator("#diff").evaluate((diff) => diff.scrollTop);
    const before = await scrollTop();
    await page.mouse.down();
    await page.mouse.wheel(0, 60);
    await expect.poll(scrollTop).toBe(before + 60);
    await page.mouse.up();
    await page.locator(".comment-open", { hasText: "lines 10-13" }).waitFor();
    child.kill("SIGTERM");
  });

  it("sends comments on both sides and a suggestion after a reload and a switch of the diff", async () => {
    const review = await openCodeReview(browser, await changedRepository());
    const { page } = review;
    const editor = page.locator(".comment-open textarea");

    await dragLines(page, "src/cart.ts", "new", 30, 31);
    await editor.first().fill("Is **discount** tested?");
    await page.keyboard.press("Control+Enter");
    await dragLines(page, "src/cart.ts", "old", 32, 32);
    await page.locator(".comment-open").getByText("Concern").click();
    await editor.first().fill("This line was needed.");
    await page.keyboard.press("Control+Enter");

    await numberCell(page, "src/fresh.ts", "new", 1).scrollIntoViewIfNeeded();
    await numberCell(page, "src/fresh.ts", "new", 1).click();
    await page.locator(".comment-open").getByText("Suggestion").click();
    await page.locator(".suggestion-code").fill("export const fresh = false;");
    await expect.poll(() => page.locator(".comment-open .mini-diff").textContent()).toContain("false");
    await draftSaved(page);

    await page.reload();
    await page.locator(".toast", { hasText: "Restored 3 unsent comments" }).waitFor();
    await page.getByLabel("What is compared").selectOption("last-commit");
    await page.getByRole("button", { name: "Comments, 3" }).click();
    const sidebar = page.getByRole("complementary", { name: "Comments" });
    await expect.poll(() => sidebar.textContent()).toContain("made on Uncommitted changes");
    await page.getByLabel("What is compared").selectOption("uncommitted");
    await expect.poll(() => sidebar.textContent()).not.toContain("made on");

    await page.getByRole("button", { name: "Send feedback" }).click();
    const text = page.getByLabel("Feedback in Markdown, exactly as it will be sent");
    await expect.poll(() => text.inputValue()).toContain("Is **discount** tested?");
    const sent = `${await text.inputValue()}\nPS: edited by hand.`;
    await text.fill(sent);
    await page.getByRole("dialog").getByRole("button", { name: "Send feedback" }).click();
    await page.getByRole("heading", { name: "Feedback sent" }).waitFor();

    const { stdout, code } = await review.ended;
    expect(code).toBe(0);
    expect(stdout.trimEnd()).toBe(sent);
    expect(stdout).toContain("## `src/cart.ts`");
    expect(stdout).toMatch(
      /Comment on lines 30-31 \(new side\)\n\n```ts\n {2}const line30 = discount\(price\);/,
    );
    expect(stdout).toMatch(/Concern on line 32 \(old side: before the change\)\n\n```ts\n {2}const line32/);
    expect(stdout).toContain("```diff\n-export const fresh = true;\n+export const fresh = false;\n```");
    expect(review.errors).toEqual([]);
    expect(review.foreignRequests).toEqual([]);
  });

  it("moves a comment with its lines, and reports if they are gone", async () => {
    const repository = await changedRepository();
    const review = await openCodeReview(browser, repository);
    const { page } = review;
    await writeComment(page, "src/cart.ts", [30, 30], "Look here");
    await draftSaved(page);

    const text = await repository.git("show", "HEAD:src/cart.ts");
    const moved = text.replace("  const line30 = price * 30;", "  const line30 = discount(price);");
    await repository.write({ "src/cart.ts": `// one\n// two\n${moved}` });
    await page.locator(".banner", { hasText: "The code has changed" }).waitFor();
    await page.getByRole("button", { name: "Refresh" }).click();
    const card = page.locator(".comment", { hasText: "Look here" });
    await expect.poll(() => card.textContent()).toContain("moved from line 30");
    await expect.poll(() => card.textContent()).toContain("line 32");

    await repository.write({ "src/cart.ts": text.replace("line30", "line_thirty") });
    await page.keyboard.press("R");
    await expect.poll(() => card.textContent()).toContain("not in this diff");
    review.child.kill("SIGTERM");
  });

  it("approves with text that requests no change, and discards no comment without a warning", async () => {
    const review = await openCodeReview(browser, await changedRepository());
    const { page } = review;
    await writeGeneralComment(page, "In general: fine.");
    await page.getByRole("button", { name: "Approve" }).click();
    const dialog = page.getByRole("dialog");
    await expect.poll(() => dialog.textContent()).toContain("does not receive the comment");
    await dialog.getByRole("button", { name: "Keep reviewing" }).click();
    await page.getByRole("button", { name: "Delete this comment" }).click();
    await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => page.locator(".sidebar").textContent()).toContain("In general: fine.");
    await page.getByRole("button", { name: "Delete this comment" }).click();
    await page.getByRole("button", { name: "Approve" }).click();
    await dialog.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByRole("heading", { name: "Approved" }).waitFor();
    const { stdout } = await review.ended;
    expect(stdout.trim()).toBe("Code review completed: approved, no changes requested.");
  });

  it("keeps what was typed when the page is reloaded before its last save has arrived", async () => {
    const review = await openCodeReview(browser, await changedRepository());
    const { page } = review;
    const editor = page.locator(".comment-open textarea");
    const before = await page.evaluate(async () => (await fetch("/api/draft")).json());
    await dragLines(page, "src/cart.ts", "new", 30, 30);
    await editor.fill("Half a thought");
    // The response that the server would send if the reloaded page were faster than the save.
    await page.route("**/api/draft", (route) =>
      route.request().method() === "GET" ? route.fulfill({ json: before }) : route.continue(),
    );
    await page.reload();
    await expect.poll(() => editor.inputValue()).toBe("Half a thought");
    await draftSaved(page);

    await page.unroute("**/api/draft");
    await page.reload();
    await expect.poll(() => editor.inputValue()).toBe("Half a thought");
    review.child.kill("SIGTERM");
  });

  it("returns to the comment that was being written, wherever it is", async () => {
    const repository = await changedRepository();
    await repository.write({ "above.txt": "a line\n".repeat(800), "below.txt": "a line\n".repeat(8) });
    const review = await openCodeReview(browser, repository);
    const { page } = review;
    await page.locator(".tree").getByText("below.txt").click();
    await dragLines(page, "below.txt", "new", 2, 2);
    await page.locator(".comment-open textarea").fill("Half a wor");
    await draftSaved(page);
    await page.reload();
    // Clicks immediately, because the message is shown only for a limited time.
    await page.getByRole("button", { name: "Keep writing" }).dispatchEvent("click");
    const editor = page.locator(".comment-open textarea");
    await expect.poll(() => editor.evaluate((field) => field === document.activeElement)).toBe(true);
    await page.keyboard.press("End");
    await page.keyboard.type("d");
    expect(await editor.inputValue()).toBe("Half a word");
    review.child.kill("SIGTERM");
  });

  it("expands the lines around a comment between hunks", async () => {
    const review = await openCodeReview(browser, await changedRepository());
    const { page } = review;
    const cart = page.locator('section[data-path="src/cart.ts"]');
    await cart.getByRole("button", { name: "Show 20 lines above" }).first().click();
    await writeComment(page, "src/cart.ts", [12, 13], "Outside the change");
    await draftSaved(page);
    await page.reload();
    await numberCell(page, "src/cart.ts", "new", 12).waitFor();
    await expect.poll(() => cart.locator(".comment").textContent()).toContain("lines 12-13");
    expect(await cart.locator(".comment").textContent()).not.toContain("not in this diff");
    review.child.kill("SIGTERM");
  });

  it("marks what has changed since the first review, and shows the earlier comments", async () => {
    const repository = await changedRepository();
    const first = await openCodeReview(browser, repository);
    await writeComment(first.page, "src/cart.ts", [30, 30], "Round one");
    await sendFeedback(first.page);
    await first.ended;

    await repository.write({ "src/fresh.ts": "export const fresh = 2;\n" });
    const { page, child } = await openCodeReview(browser, repository);
    await page.locator(".banner", { hasText: "1 file has changed" }).waitFor();
    const marked = page.locator(".tree-file", { has: page.locator(".tree-since") });
    await expect.poll(() => marked.count()).toBe(1);
    expect(await marked.textContent()).toContain("fresh.ts");
    expect(await page.locator(".comment").count()).toBe(0);
    await page.locator(".banner").getByRole("button", { name: "Earlier feedback" }).click();
    const dialog = page.getByRole("dialog");
    await expect.poll(() => dialog.textContent()).toContain("Round one");
    expect(await dialog.textContent()).toContain("const line30 = discount(price);");
    child.kill("SIGTERM");
  });

  it("keeps feedback edited by hand through closing, a reload and another comment", async () => {
    const review = await openCodeReview(browser, await changedRepository());
    const { page } = review;
    const text = page.getByLabel("Feedback in Markdown, exactly as it will be sent");
    const dialog = page.getByRole("dialog");
    await writeComment(page, "src/cart.ts", [30, 30], "First");
    await page.keyboard.press("Control+Shift+Enter");
    const edited = `${await text.inputValue()}\nPS: by hand.`;
    await text.fill(edited);
    await dialog.getByRole("button", { name: "Copy" }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(edited);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await draftSaved(page);

    await page.reload();
    await page.locator(".toast", { hasText: "Restored 1 unsent comment" }).waitFor();
    await page.keyboard.press("Control+Shift+Enter");
    await expect.poll(() => text.inputValue()).toBe(edited);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });

    await writeComment(page, "src/cart.ts", [33, 33], "Second");
    await page.keyboard.press("Control+Shift+Enter");
    await expect.poll(() => text.inputValue()).toContain("Second");
    await dialog.getByRole("button", { name: "Use my edited text" }).click();
    expect(await text.inputValue()).toBe(edited);
    await dialog.getByRole("button", { name: "Undo my edits" }).click();
    expect(await text.inputValue()).toContain("Second");
    review.child.kill("SIGTERM");
  });

  it("shows a comment's text if the Markdown renderer cannot be loaded", async () => {
    const review = await openCodeReview(browser, await changedRepository());
    const { page } = review;
    await page.route("**/assets/rendered-text*.js", (route) => route.abort());
    await writeComment(page, "src/cart.ts", [30, 30], "Still **here**");
    await expect.poll(() => page.locator(".comment-plain").textContent()).toBe("Still **here**");
    review.child.kill("SIGTERM");
  });

  it("keeps what was typed when the server dies, and lets the person copy it", async () => {
    const review = await openCodeReview(browser, await changedRepository());
    const { page } = review;
    await dragLines(page, "src/cart.ts", "new", 30, 30);
    await page.locator(".comment-open textarea").fill("Still here");
    await draftSaved(page);
    review.child.kill("SIGKILL");
    await page.locator(".banner-danger", { hasText: "Can't reach Sallyport" }).waitFor();
    expect(await page.locator(".comment-open textarea").inputValue()).toBe("Still here");
    await expect.poll(() => page.locator(".status-line").textContent()).toContain("Not connected");
    expect(await page.locator(".banner").count()).toBe(1);
    await page.getByRole("button", { name: "Copy the feedback" }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain("Still here");
  });
});
