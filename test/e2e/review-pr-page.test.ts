import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowser, openPage } from "../support/browser.ts";
import { draftSaved, writeComment } from "../support/code-review-page.ts";
import { startPullReview, startVendor } from "../support/forges/start-pull-review.ts";

/** Where the tests comment. */
const LINE = { kind: "lines", path: "src/wall.txt", side: "new", lineStart: 30, lineEnd: 30 };

/** Presses the button of the open dialog that posts or ends the review: it ignores input directly after it appears. */
async function confirmByKey(page: Page): Promise<void> {
  await page.locator('dialog[open] [data-irreversible][aria-disabled="false"]').waitFor();
  await page.keyboard.press("Control+Enter");
}

describe("the page of a pull request", () => {
  it("shows the request, previews the review, and posts it after the person has confirmed", async () => {
    const review = await startPullReview("github");
    await review.page("POST", "/api/threads", {
      anchor: LINE,
      type: "comment",
      markdown: "Too **high**",
    });
    const { page } = await openPage(await launchBrowser(), review.url);
    const panel = page.getByRole("region", { name: "Pull request" });
    await panel.getByText("Raise the wall").waitFor();
    expect(await panel.getByText("1 of 2 checks failed").isVisible()).toBe(true);
    await panel.getByRole("button", { name: "Show the description" }).click();
    expect(await panel.getByText("vauban").isVisible()).toBe(true);
    expect(await panel.getByText("Raise two stones").isVisible()).toBe(true);
    await panel.getByRole("button", { name: "Hide the description" }).click();

    await page.getByRole("button", { name: /^Post review/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Approve", { exact: true }).click();
    await dialog.getByRole("textbox").fill("Well built.");
    await dialog.getByRole("button", { name: "Keep reviewing" }).click();
    await draftSaved(page);
    await page.reload();
    await panel.getByText("Raise the wall").waitFor();
    await page.getByRole("button", { name: /^Post review/ }).click();
    await dialog.getByText("Approve", { exact: true }).click();
    await dialog.getByRole("button", { name: "Preview" }).click();
    await dialog.getByText("Comment on src/wall.txt, line 30").waitFor();
    expect(await dialog.getByText("Well built.").isVisible()).toBe(true);
    expect(review.castle.own).toEqual([]);

    await dialog.getByRole("button", { name: "Leave out" }).click();
    await dialog.getByText("Left out of this review").waitFor();
    await dialog.getByRole("button", { name: "Include" }).click();
    await dialog.getByText("Comment on src/wall.txt, line 30").waitFor();

    await confirmByKey(page);
    await page.getByText("Posted at GitHub: 2 items").waitFor();
    expect(review.castle.own.map(({ body }) => body)).toEqual(["Too **high**", "Well built."]);
    expect(review.castle.verdict).toBe("APPROVE");

    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("You have posted a review at GitHub.").waitFor();
    await confirmByKey(page);
    const { code, stdout } = await review.command.ended;
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("- approved, 2 items"),
    });
  });

  it("says in words that the request has conflicts, until a refresh finds none", async () => {
    const started = await startVendor("github");
    const { castle } = started;
    castle.hasConflicts = true;
    const review = await startPullReview("github", { started });
    const { page } = await openPage(await launchBrowser(), review.url);
    const panel = page.getByRole("region", { name: "Pull request" });
    await panel.getByText("Merge conflicts with main").waitFor();
    castle.hasConflicts = false;
    await page.keyboard.press("R");
    await expect.poll(() => panel.getByText("conflicts").count()).toBe(0);
  });

  it("counts threads and unsent comments in the status line", async () => {
    const review = await startPullReview("github");
    const { page } = await openPage(await launchBrowser(), review.url);
    const count = page.locator(".status-line > span").first();
    await expect.poll(() => count.textContent()).toBe("2 threads");
    await page.locator(".thread-row").getByRole("button", { name: "Reply" }).click();
    await page.locator(".thread-row textarea").fill("As agreed.");
    await expect.poll(() => count.textContent()).toBe("2 threads, 1 unsent comment");
    await writeComment(page, "src/wall.txt", [30, 30], "Too high");
    await expect.poll(() => count.textContent()).toBe("2 threads, 2 unsent comments");
  });

  it("opens the reply to a thread with its key", async () => {
    const review = await startPullReview("github");
    const { page } = await openPage(await launchBrowser(), review.url);
    await page.locator(".thread-row").getByRole("button", { name: "Reply" }).waitFor();
    await page.keyboard.press("N");
    await page.keyboard.press("y");
    await page.keyboard.type("As agreed.");
    const field = page.getByLabel("Reply in Markdown");
    await expect.poll(() => field.first().inputValue()).toBe("As agreed.");
  });

  it("states what the forge did not record, until the person closes the dialog", async () => {
    const review = await startPullReview("gitlab");
    review.castle.ignoresRequestedChanges = true;
    const { page } = await openPage(await launchBrowser(), review.url);
    await page.getByRole("button", { name: /^Post review/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Request changes", { exact: true }).click();
    await dialog.getByRole("textbox").fill("Lower it.");
    await dialog.getByRole("button", { name: "Preview" }).click();
    await confirmByKey(page);
    const result = page.getByRole("dialog", { name: "Posted in part at GitLab" });
    await result.getByText('did not record "Request changes"').waitFor();
    expect(await result.getByRole("listitem").first().textContent()).toBe("General text");
    expect(await page.getByText(/^Posted at GitLab/).count()).toBe(0);
    await result.getByRole("button", { name: "Close" }).last().click();
    expect(review.castle.own.map(({ body }) => body)).toEqual(["Lower it."]);
  });

  it("states that nothing was posted if the forge rejects everything", async () => {
    const review = await startPullReview("gitlab");
    await review.page("POST", "/api/threads", {
      anchor: LINE,
      type: "comment",
      markdown: "Too high",
    });
    review.forge.interfere = ({ method, url }) =>
      method === "POST" && url.pathname.endsWith("/draft_notes")
        ? { status: 400, json: { message: "must be a valid line code" } }
        : undefined;
    const { page } = await openPage(await launchBrowser(), review.url);
    await page.getByRole("button", { name: /^Post review/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Preview" }).click();
    await confirmByKey(page);
    const result = page.getByRole("dialog", { name: "Nothing was posted at GitLab" });
    await result.getByText("must be a valid line code").waitFor();
    await result.getByRole("button", { name: "Close" }).last().click();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("You have posted nothing at GitLab.").waitFor();
  });
});
