import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { violations } from "../support/accessibility.ts";
import { launchBrowserForFile, openReview, selectText } from "../support/browser.ts";
import { startCodeReview } from "../support/code-review-page.ts";
import { liveAgent } from "../support/live-review.ts";
import { testRepository } from "../support/test-repository.ts";

const browser = await launchBrowserForFile();

const PLAN = "# Cross the moat\n\nFirst we *measure* the moat.\n\nThen we build a bridge of oak.\n";

async function openLivePlan() {
  const repository = await testRepository({ "a.txt": "a\n" });
  const file = join(repository.root, "plan.md");
  await writeFile(file, PLAN);
  const review = await startCodeReview(repository, { command: "plan", flags: ["--live", file] });
  const opened = await openReview(browser, review.url);
  const save = (text: string) => writeFile(file, text);
  return { ...opened, ended: review.ended, agent: liveAgent(repository), save };
}

async function pressDecision(page: Page, name: string): Promise<void> {
  const button = page.getByRole("dialog").getByRole("button", { name });
  await expect.poll(() => button.getAttribute("aria-disabled")).toBe("false");
  await button.click();
}

describe("the plan page in a live review", () => {
  it.each([1200, 360])("keeps the text where it is while the page loads, %i px wide", async (width) => {
    const { page } = await openLivePlan();
    const bare = await browser.newContext({ javaScriptEnabled: false, viewport: { width, height: 800 } });
    onTestFinished(() => bare.close());
    const prerendered = await bare.newPage();
    await prerendered.goto(page.url());
    const positionIn = async (shown: Page) =>
      Math.round((await shown.locator(".plan h1").boundingBox())?.y ?? 0);
    const first = await positionIn(prerendered);
    await page.setViewportSize({ width, height: 800 });
    await page.locator(".live-banner[role=status]").waitFor();
    expect(first).toBeGreaterThan(0);
    expect(await positionIn(page)).toBe(first);
  });

  it("sends comments at their quotes, shows replies, each save as a round, and finishes", async () => {
    const { page, agent, save, ended, errors } = await openLivePlan();
    await selectText(page, "bridge of oak");
    await page.keyboard.type("Why oak?");
    await page.keyboard.press("Control+Enter");
    await page.locator(".card", { hasText: "Why oak?" }).waitFor();
    await page.getByRole("button", { name: /^Send/ }).click();
    await page.getByRole("dialog").getByText("1 comment").waitFor();
    await pressDecision(page, "Send");
    const card = page.locator(".thread-card");
    await card.waitFor();
    expect(await page.locator(".card").count()).toBe(0);

    const { threads } = JSON.parse(await agent.run("wait", "--json", "--timeout", "20"));
    expect(threads[0].anchor).toMatchObject({ kind: "plan", quote: "bridge of oak" });
    await agent.run("reply", threads[0].id, "--text", "It is *cheap*.", "--author", "codex");
    await card.locator(".message-agent em", { hasText: "cheap" }).waitFor();
    expect(await violations(page)).toEqual([]);

    await save(PLAN.replace("Then we", "After that we"));
    await page.locator(".live-round", { hasText: "1 part changed since you sent" }).waitFor();
    await expect.poll(() => page.locator(".plan").textContent()).toContain("After that we build");
    await page.getByRole("button", { name: "Show changes" }).click();
    await expect.poll(() => page.locator(".main").textContent()).toContain("After that");
    await page.reload();
    await card.locator(".message-agent").waitFor();
    expect(await card.locator(".message").count()).toBe(2);

    await page.getByRole("button", { name: "Finish" }).click();
    await pressDecision(page, "Approve and finish");
    await page.getByRole("heading", { name: "Plan approved" }).waitFor();
    expect((await ended).code).toBe(0);
    expect(errors).toEqual([]);
  });

  it("asks to review a round that arrives while the person is about to approve", async () => {
    const { page, save, ended } = await openLivePlan();
    await page.getByRole("button", { name: "Finish" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Last message (optional)").fill("Well done.");
    await save(PLAN.replace("bridge of oak", "raft"));
    await dialog.getByText("Round 2 has arrived since you opened this dialog").waitFor();
    const approve = dialog.getByRole("button", { name: "Approve and finish" });
    expect(await approve.getAttribute("aria-disabled")).toBe("true");
    await dialog.getByRole("button", { name: "Keep reviewing" }).click();
    await expect.poll(() => page.locator(".plan").textContent()).toContain("we build a raft");
    await page.getByRole("button", { name: "Finish" }).click();
    expect(await dialog.getByLabel("Last message (optional)").inputValue()).toBe("Well done.");
    await pressDecision(page, "Approve and finish");
    await page.getByRole("heading", { name: "Plan approved" }).waitFor();
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(stdout).toContain("Well done.");
  });

  it("names the authors of threads in the palette", async () => {
    const { page, agent } = await openLivePlan();
    await agent.call("POST", "/api/threads", {
      anchor: { kind: "plan", start: 18, end: 46 },
      type: "question",
      markdown: "With a rope?",
      author: { kind: "agent", name: "codex" },
    });
    await page.locator(".thread-card").waitFor();
    await selectText(page, "bridge of oak");
    await page.keyboard.type("Why no rope?");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("button", { name: /^Send/ }).click();
    await pressDecision(page, "Send");
    await expect.poll(() => page.locator(".thread-card").count()).toBe(2);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Command, heading or comment" }).fill("rope");
    await expect
      .poll(() => page.getByRole("listbox").getByRole("option").allInnerTexts())
      .toEqual([
        expect.stringMatching(/^With a rope\?\s+Thread by codex$/),
        expect.stringMatching(/^Why no rope\?\s+Thread by You$/),
      ]);
  });

  it("keeps and counts the text of an open reply through a save and a reload", async () => {
    const { page, agent, save } = await openLivePlan();
    await agent.call("POST", "/api/threads", {
      anchor: { kind: "plan", start: 18, end: 46 },
      type: "question",
      markdown: "With what?",
      author: { kind: "agent", name: "codex" },
    });
    await page.locator(".thread-card").waitFor();
    await page.keyboard.press("N");
    await page.keyboard.press("y");
    const field = page.getByLabel("Reply in Markdown");
    const badge = page.getByRole("button", { name: /^Send/ }).locator(".badge");
    await field.waitFor();
    expect(await badge.count()).toBe(0);
    await field.pressSequentially("A rope");
    expect(await badge.textContent()).toBe("1");
    await save(`${PLAN}\nAt last we cross.\n`);
    await page.locator(".live-round", { hasText: "It is shown when you finish writing" }).waitFor();
    await field.pressSequentially(" is enough");
    expect(await field.inputValue()).toBe("A rope is enough");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".plan").textContent()).toContain("At last we cross.");
    await page.locator(".draft-state", { hasText: "Draft saved" }).waitFor();
    await page.reload();
    await page.locator(".message-unsent", { hasText: "A rope is enough" }).waitFor();
  });
});
