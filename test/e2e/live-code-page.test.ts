import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { violations } from "../support/accessibility.ts";
import { launchBrowserForFile } from "../support/browser.ts";
import { changedRepository, draftSaved, openCodeReview, writeComment } from "../support/code-review-page.ts";
import { liveAgent } from "../support/live-review.ts";

const browser = await launchBrowserForFile();

async function openLive() {
  const repository = await changedRepository();
  const review = await openCodeReview(browser, repository, { flags: ["--live"] });
  return { ...review, agent: liveAgent(repository) };
}

/** Presses the button of the open dialog once it accepts input. */
async function pressDecision(page: Page, name: string): Promise<void> {
  const button = page.getByRole("dialog").getByRole("button", { name });
  await expect.poll(() => button.getAttribute("aria-disabled")).toBe("false");
  await button.click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
}

const cards = (page: Page) => page.locator(".thread-row .thread-card");

describe("the code page in a live review", () => {
  it("keeps the code where it is while the page loads", async () => {
    const { page } = await openLive();
    const bare = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: 1200, height: 800 },
    });
    onTestFinished(() => bare.close());
    const prerendered = await bare.newPage();
    await prerendered.goto(page.url());
    const positionIn = async (shown: Page) => (await shown.locator(".file-header").first().boundingBox())?.y;
    const first = await positionIn(prerendered);
    await page.setViewportSize({ width: 1200, height: 800 });
    await page.locator(".live-banner[role=status]").waitFor();
    expect(first).toBeGreaterThan(0);
    expect(await positionIn(page)).toBe(first);
  });

  it("sends a batch, shows the agent's reply and the new round, and restores all of it", async () => {
    const { page, agent, repository, errors, foreignRequests } = await openLive();
    await page.getByRole("button", { name: "Finish" }).waitFor();
    await writeComment(page, "src/cart.ts", [30, 30], "Is **discount** tested?");
    await page.getByRole("button", { name: /^Send/ }).click();
    await page.getByLabel("General message (optional)").fill("First look.");
    await pressDecision(page, "Send");
    await page.locator(".live-banner", { hasText: "Sent, waiting for the agent" }).waitFor();
    await expect.poll(() => page.locator(".comment").count()).toBe(0);

    const batch = JSON.parse(await agent.run("wait", "--json", "--timeout", "20"));
    expect(batch).toMatchObject({ event: "feedback", round: 1, feedback: "First look." });
    expect(batch.threads).toHaveLength(1);
    const [thread] = batch.threads;
    expect(thread.anchor).toMatchObject({ path: "src/cart.ts", side: "new", lineStart: 30, lineEnd: 30 });
    await agent.run("status", "--text", "Writing a test", "--author", "codex");
    await page.locator(".live-progress", { hasText: "Writing a test" }).waitFor();
    await agent.run("reply", thread.id, "--text", "Now it is <b>tested</b>.", "--author", "codex");
    const message = cards(page).locator(".message-agent");
    await message.waitFor();
    expect(await message.locator(".message-author").textContent()).toBe("codex");
    expect(await message.textContent()).toContain("Now it is <b>tested</b>.");

    // The third file: the round changes another one.
    for (const key of ["]", "]", "m"]) await page.keyboard.press(key);
    await page.locator(".tree-viewed", { hasText: "1/" }).waitFor();
    await repository.write({ "src/fresh.ts": "export const fresh = 2;\n" });
    await agent.run("refresh");
    await page.locator(".live-round", { hasText: "1 file changed since you sent" }).waitFor();
    expect(await page.locator(".tree-viewed").textContent()).toMatch(/^1\//);
    await draftSaved(page);

    await page.reload();
    await message.waitFor();
    expect(await cards(page).locator(".message").count()).toBe(2);
    expect(await page.locator(".message-delivery").textContent()).toBe("Read by the agent");
    expect(errors).toEqual([]);
    expect(foreignRequests).toEqual([]);
  });

  it("never touches typed text when a round or a thread arrives", async () => {
    const { page, agent, repository } = await openLive();
    await writeComment(page, "src/cart.ts", [30, 30], "First");
    await page.locator('[data-path="src/cart.ts"] .num[data-side="new"][data-line="33"]').first().click();
    const field = page.locator(".comment-open textarea");
    await field.pressSequentially("Half a sen");
    await repository.write({ "src/fresh.ts": "export const fresh = 2;\n" });
    await agent.run("refresh");
    await page.locator(".live-round", { hasText: "It is shown when you finish writing" }).waitFor();
    await agent.run("comment", "src/cart.ts:33", "--text", "Here too", "--author", "codex");
    await cards(page).first().waitFor();
    await page.keyboard.type("tence");
    expect(await field.inputValue()).toBe("Half a sentence");
    await page.keyboard.press("Control+Enter");
    await page.locator(".live-round", { hasText: "The diff was reloaded" }).waitFor();
    await expect.poll(() => page.locator(".comment", { hasText: "Half a sentence" }).count()).toBe(1);
  });

  it("keeps the focus in a thread whose buttons are pressed by keyboard", async () => {
    const { page, agent } = await openLive();
    await agent.run("comment", "src/cart.ts:30", "--text", "One", "--author", "lint");
    const card = cards(page).first();
    await card.waitFor();
    const press = async (name: string) => {
      const button = card.getByRole("button", { name });
      await button.focus();
      await page.keyboard.press("Enter");
      await button.waitFor({ state: "hidden" });
      expect(await card.evaluate((element) => element === document.activeElement)).toBe(true);
    };
    await card.getByRole("button", { name: "Reply" }).click();
    await page.keyboard.type("Never mind");
    for (const name of [
      "Discard",
      "Dismiss",
      "1 message",
      "Fold",
      "1 message",
      "Reopen",
      "Accept",
      "Resolve",
    ])
      await press(name);
  });

  it("works by keyboard: next thread, reply, resolve, accept and dismiss", async () => {
    const { page, agent } = await openLive();
    await agent.run("comment", "src/cart.ts:30", "--text", "One", "--severity", "error", "--author", "lint");
    await agent.run("comment", "src/fresh.ts:1", "--text", "Two", "--severity", "info", "--author", "lint");
    await expect.poll(() => cards(page).count()).toBe(2);
    await page.keyboard.press("N");
    await page.locator(".thread-card-active", { hasText: "One" }).waitFor();
    await page.keyboard.press("y");
    await page.keyboard.type("Agreed, fix it");
    await page.keyboard.press("Escape");
    await page.locator(".message-unsent", { hasText: "Agreed, fix it" }).waitFor();
    await page.keyboard.press("T");
    await page.locator(".thread-card", { hasText: "One" }).getByText("Accepted").waitFor();
    await page.keyboard.press("N");
    await page.locator(".thread-card-active", { hasText: "Two" }).waitFor();
    await page.keyboard.press("D");
    await page.locator(".thread-card", { hasText: "Two" }).getByText("Dismissed").waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("Reply to the thread").waitFor();
    await page.keyboard.press("Escape");

    await page.keyboard.press("x");
    await page.getByRole("dialog").getByText("1 reply, 1 accepted finding").waitFor();
    await pressDecision(page, "Send");
    const { threads } = JSON.parse(await agent.run("wait", "--json", "--timeout", "20"));
    expect(threads).toMatchObject([{ type: "finding", accepted: true, severity: "error" }]);
    expect(threads[0].messages.map(({ markdown }: { markdown: string }) => markdown)).toEqual([
      "One",
      "Agreed, fix it",
    ]);
  });

  it("shows 1,000 threads, filters them and renders only those near the window", async () => {
    const { page, url, agent } = await openLive();
    await page.goto("about:blank");
    const add = (index: number) => {
      const severity = index % 10 === 0 ? "error" : "info";
      const anchor = { kind: "lines", path: "src/cart.ts", side: "new", lineStart: 1 + (index % 50) };
      return agent.call("POST", "/api/threads", {
        anchor: { ...anchor, lineEnd: anchor.lineStart },
        type: "finding",
        markdown: `Finding ${index}`,
        severity,
        author: { kind: "tool", name: "lint" },
      });
    };
    const group = Array.from({ length: 20 }, (_, index) => index);
    for (let first = 0; first < 980; first += 20) await Promise.all(group.map((each) => add(first + each)));
    await page.goto(url);
    await page.locator(".review:not(.prerendered)").waitFor();
    for (let index = 980; index < 1_000; index++) await add(index);
    await page.keyboard.press(".");
    const list = page.locator(".sidebar .thread-list > li");
    await list.first().waitFor();
    await page.locator(".thread-section .badge", { hasText: /^1000$/ }).waitFor();
    expect(await list.count()).toBeLessThan(60);
    await page.getByLabel("Severity").selectOption("error");
    await page.locator(".thread-section .badge", { hasText: "100 of 1000" }).waitFor();
    await page.getByLabel("State of the threads").selectOption("resolved");
    await page.getByText("No thread matches the filters.").waitFor();
  });

  it("has no accessibility violations with threads, in both themes, and fits 360 pixels", async () => {
    const { page, agent } = await openLive();
    await agent.run("comment", "src/cart.ts:30", "--text", "`x` is wrong", "--severity", "warning");
    await cards(page).first().waitFor();
    await page.keyboard.press(".");
    await page.locator(".thread-section").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    const { scroll, width } = await page.evaluate(() => ({
      scroll: document.documentElement.scrollWidth,
      width: innerWidth,
    }));
    expect(scroll).toBeLessThanOrEqual(width);
  });

  it("finishes with the unsent comments, and the foreground command ends", async () => {
    const { page, agent, ended } = await openLive();
    await writeComment(page, "src/cart.ts", [30, 30], "Last word");
    await page.getByRole("button", { name: "Finish" }).click();
    const button = page.getByRole("dialog").getByRole("button", { name: "Approve and finish" });
    await expect.poll(() => button.getAttribute("aria-disabled")).toBe("false");
    const batch = agent.run("wait", "--json", "--timeout", "20");
    await page.locator(".live-banner", { hasText: "is waiting for your feedback" }).waitFor();
    await button.click();
    await page.getByRole("heading", { name: "Approved" }).waitFor();
    expect(JSON.parse(await batch)).toMatchObject({ event: "approved" });
    expect((await ended).code).toBe(0);
  });
});

describe("the code page in a one-shot review", () => {
  it("turns an accepted finding into a comment that is sent with the feedback", async () => {
    const repository = await changedRepository();
    const review = await openCodeReview(browser, repository);
    const { page } = review;
    await liveAgent(repository).call("POST", "/api/threads", {
      anchor: { kind: "lines", path: "src/cart.ts", side: "new", lineStart: 30, lineEnd: 30 },
      type: "finding",
      markdown: "Not tested",
      severity: "error",
      author: { kind: "tool", name: "lint" },
    });
    await page.locator(".thread-card").getByRole("button", { name: "Accept" }).click();
    await page.locator(".comment", { hasText: "Not tested" }).waitFor();
    expect(await page.getByRole("button", { name: "Reply" }).count()).toBe(0);
    await page.getByRole("button", { name: "Send feedback" }).click();
    await pressDecision(page, "Send feedback");
    expect((await review.ended).stdout).toContain("Not tested");
  });
});
