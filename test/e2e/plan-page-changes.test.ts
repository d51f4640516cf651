import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, openReview, selectText } from "../support/browser.ts";
import { hookEvent, makeHomeForFile, type RunningReview, startReview } from "../support/plan-review.ts";

const home = await makeHomeForFile();
const browser = await launchBrowserForFile();

const filler = Array.from({ length: 30 }, (_, index) => `Paragraph ${index} stays as it is.`).join("\n\n");

const firstRound = (title: string) => `---
owner: ana
---
# ${title}

Sessions are kept in memory today.[^m]

A paragraph that goes away.

${filler}

- outer item
  - inner one
  - inner two
- last item

| Store | Cost |
|-------|------|
| Map   | low  |
| Redis | high |

[^m]: A plain map.
`;
const after = (title: string) =>
  firstRound(title)
    .replace("owner: ana", "owner: ben")
    .replace("kept in memory today", "kept in Redis today")
    .replace("A paragraph that goes away.\n\n", "")
    .replace("inner two", "inner second")
    .replace("| high |", "| medium |")
    .replace("A plain map", "A fast store");

async function openChanges(title: string, width = 1280): Promise<{ page: Page; review: RunningReview }> {
  const first = await startReview(home, hookEvent(firstRound(title), home.path));
  await fetch(new URL("/api/deny", first.url), { method: "POST" });
  await first.ended;
  const review = await startReview(home, hookEvent(after(title), home.path));
  const { page } = await openReview(browser, review.url, { width });
  await page.getByText(/changed since round 1/).waitFor();
  await page.keyboard.press("v");
  await page.locator(".changes .plan [data-change]").first().waitFor();
  return { page, review };
}

async function end({ child, ended }: RunningReview): Promise<void> {
  child.kill("SIGTERM");
  await ended;
}

describe("the changes of a plan", () => {
  it("show each change once, in position", async () => {
    const { page, review } = await openChanges("Shown once");
    const texts = await page.locator(".changes .plan [data-change]").allTextContents();
    expect(texts.map((text) => text.replace(/\s+/g, " ").trim())).toEqual([
      expect.stringContaining("owner: anaben"),
      "Sessions are kept in memoryRedis today.[1]",
      "A paragraph that goes away.",
      "inner twosecond",
      "Redis highmedium".replace(" ", ""),
      "A plain mapfast store.",
    ]);
    expect(await page.locator(".changes .plan ins").allTextContents()).toEqual([
      "ben",
      "Redis",
      "second",
      "medium",
      "fast store",
    ]);
    expect(await page.locator(".changes .plan table").count()).toBe(1);
    expect(await page.locator(".changes .plan").getByText("outer item").count()).toBe(1);
    expect(await page.locator(".changes .footnotes li").textContent()).toContain("fast store");
    const folded = page.getByRole("button", { name: /^Show \d+ unchanged blocks$/ });
    expect(await page.getByText("Paragraph 15 stays").count()).toBe(0);
    await folded.click();
    expect(await page.getByText("Paragraph 15 stays").count()).toBe(1);
    await end(review);
  });

  it("accept annotations on new text, by selection and by block", async () => {
    const { page, review } = await openChanges("Noted");
    await selectText(page, "Redis", ".changes .plan p ins");
    await page.getByRole("toolbar", { name: "Annotate the selection" }).waitFor();
    await page.keyboard.press("c");
    await page.locator(".composer textarea").fill("Which version?");
    await page.keyboard.press("Control+Enter");
    await page.locator(".cards .card", { hasText: "line 6" }).getByText("Which version?").waitFor();

    await page.locator(".changes .plan td", { hasText: "medium" }).hover();
    await page.getByRole("button", { name: "Annotate this block" }).click();
    await page.getByRole("button", { name: "Quick label" }).click();
    await page.getByRole("menuitem", { name: "Needs tests" }).click();
    const card = page.locator(".cards .card", { hasText: "Needs tests" });
    expect(await card.locator(".card-quote").textContent()).toBe("Redis\nmedium");
    await end(review);
  });

  it("accept annotations on removed text, which quote it and state its position", async () => {
    const { page, review } = await openChanges("Noted gone");
    await selectText(page, "goes away", ".changes .plan .removed-block");
    await page.getByRole("toolbar", { name: "Annotate the selection" }).waitFor();
    await page.keyboard.press("c");
    await page.locator(".composer textarea").fill("Keep this one");
    await page.keyboard.press("Control+Enter");
    const card = page.locator(".cards .card", { hasText: "Keep this one" });
    expect(await card.locator(".card-lines").textContent()).toBe("text removed near line 6");
    expect(await card.locator(".card-quote").textContent()).toBe("goes away");

    await page.locator(".changes .plan .removed-block").hover();
    await page.getByRole("button", { name: "Annotate this removed text" }).click();
    await page.keyboard.press("!");
    await page.locator(".composer textarea").fill("Why did it go?");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("button", { name: /^Request changes/ }).click();
    await page.getByRole("button", { name: /^Send to/ }).click();
    const { stdout } = await review.ended;
    const { message } = JSON.parse(stdout).hookSpecificOutput.decision;
    expect(message).toContain("Comment on text removed near line 6\n\n```markdown\ngoes away\n```");
    expect(message).toContain("```markdown\nA paragraph that goes away.\n```");

    const third = await startReview(home, hookEvent(firstRound("Noted gone"), home.path));
    const next = await openReview(browser, third.url);
    const asked = next.page.getByRole("region", { name: "Comments of round 2" });
    await asked.getByText("text restored").first().waitFor();
    await end(third);
  });

  it("can be visited by key and annotated there", async () => {
    const { page, review } = await openChanges("Walked");
    const current = page.locator(".changes .plan [data-cursor]");
    const seen: (string | null)[] = [];
    for (let step = 0; step < 6; step += 1) {
      await page.keyboard.press("n");
      seen.push(await current.textContent());
    }
    expect(seen.map((text) => text?.replace(/\s+/g, " ").trim())).toEqual([
      expect.stringContaining("owner:"),
      expect.stringContaining("Sessions"),
      "A paragraph that goes away.",
      "inner twosecond",
      "Redishighmedium",
      "A plain mapfast store.",
    ]);
    await page.keyboard.press("p");
    await page.keyboard.press("p");
    expect(await current.textContent()).toBe("inner twosecond");
    await page.keyboard.press("c");
    await page.locator(".composer textarea").fill("Second what?");
    await page.keyboard.press("Control+Enter");
    const card = page.locator(".cards .card", { hasText: "Second what?" });
    expect(await card.locator(".card-quote").textContent()).toBe("inner second");
    await end(review);
  });

  it("explain why a key finds no change to move to", async () => {
    const { page, review } = await openChanges("Nothing here");
    const toast = (text: string) => page.locator(".toast", { hasText: text });
    await page.getByText("Raw diff").click();
    await page.keyboard.press("n");
    await toast("Choose “Rendered” to move between changes.").waitFor();
    // Two letters in quick succession would start a comment.
    await page.getByText("Plan", { exact: true }).click();
    await page.locator('.page[data-view="plan"]').waitFor();
    await page.keyboard.press("n");
    await toast("Press v to show the changes.").waitFor();
    await end(review);
  });

  it("explain that nothing has changed after edits were reverted", async () => {
    const review = await startReview(home, hookEvent("# Reverted\n\nText.\n", home.path));
    const { page } = await openReview(browser, review.url);
    await page.keyboard.press("E");
    await page.getByLabel("The plan's Markdown").fill("# Another\n");
    await page.getByRole("button", { name: "Show my edits" }).click();
    await page.locator(".changes").getByRole("button", { name: "Revert my edits" }).click();
    await page.getByText("Nothing has changed since").waitFor();
    await page.keyboard.press("n");
    await page.getByText("Nothing has changed.", { exact: true }).waitFor();
    await end(review);
  });

  it("accept annotations on new and removed lines of the raw diff", async () => {
    const { page, review } = await openChanges("Raw notes");
    await page.getByText("Raw diff").click();
    for (const [selector, key] of [
      [".raw-removed", "c"],
      [".raw-added", "!"],
    ] as const) {
      await page.evaluate((row) => {
        const code = [...document.querySelectorAll(`${row} code`)].find(({ textContent }) =>
          textContent?.includes("Sessions are kept"),
        );
        if (code) getSelection()?.setBaseAndExtent(code, 0, code, code.childNodes.length);
      }, selector);
      await page.keyboard.press(key);
      await page.locator(".composer textarea").fill("Raw");
      await page.keyboard.press("Control+Enter");
    }
    const positions = page.locator(".cards .card-lines");
    await expect.poll(() => positions.count()).toBe(2);
    expect((await positions.allTextContents()).toSorted()).toEqual(["line 6", "text removed near line 6"]);
    expect(await page.locator(".cards .card-quote", { hasText: "in memory" }).count()).toBe(1);
    await end(review);
  });

  it("show the folded text of an annotation", async () => {
    const { page, review } = await openChanges("Unfolded");
    await page.keyboard.press("1");
    await page.locator('.page[data-view="plan"]').waitFor();
    await selectText(page, "Paragraph 15");
    await page.keyboard.press("c");
    await page.locator(".composer textarea").fill("Still needed?");
    await page.keyboard.press("Control+Enter");
    await page.keyboard.press("v");
    await page.locator('.page[data-view="changes"]').waitFor();
    await page.locator(".card-position", { hasText: "Comment" }).click();
    await page.getByText("Paragraph 15 stays").waitFor();
    await end(review);
  });
});
