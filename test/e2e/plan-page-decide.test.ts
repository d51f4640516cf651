import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, openReview, selectText } from "../support/browser.ts";
import { hookEvent, makeHomeForFile, startReview } from "../support/plan-review.ts";
import { redPixel, samplePlan } from "../support/plans.ts";

const home = await makeHomeForFile();
const browser = await launchBrowserForFile();

const lineOf = (text: string) => samplePlan.slice(0, samplePlan.indexOf(text)).split("\n").length;
const decisionOf = (stdout: string) => JSON.parse(stdout).hookSpecificOutput.decision;

async function comment(page: Page, on: string, text: string): Promise<void> {
  await selectText(page, on);
  await page.getByRole("toolbar").getByRole("button", { name: "Comment" }).click();
  await page.keyboard.type(text);
  await page.getByRole("button", { name: "Add comment" }).click();
}

async function pasteImage(
  page: Page,
  selector: string,
  image: Buffer,
  name: string,
  type: string,
): Promise<void> {
  await page.locator(selector).evaluate(
    (field, [bytes, fileName, fileType]) => {
      const data = new DataTransfer();
      const content = Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0));
      data.items.add(new File([content], fileName, { type: fileType }));
      const paste = new ClipboardEvent("paste", { bubbles: true, cancelable: true });
      // Firefox ignores the option of the constructor.
      Object.defineProperty(paste, "clipboardData", { value: data });
      field.dispatchEvent(paste);
    },
    [image.toString("base64"), name, type] as const,
  );
}

describe("the plan page sends the agent", () => {
  it("both comments and the pasted image when changes are requested", async () => {
    const review = await startReview(home, hookEvent(samplePlan, home.path));
    const { page, errors, foreignRequests } = await openReview(browser, review.url);
    await comment(page, "Every deploy signs everybody out", "Is that **really** so?\n```\nbreak out\n```");
    await selectText(page, "single point of failure");
    await page.keyboard.press("!");
    await page.keyboard.type("What does the on-call do?");
    await pasteImage(page, ".composer textarea", redPixel, "diagram.png", "image/png");
    await page.getByRole("img", { name: "diagram.png" }).waitFor();
    await page.keyboard.press("Control+Enter");

    await page.getByRole("button", { name: /Request changes/ }).click();
    await page.getByRole("button", { name: "Send to Claude Code" }).click();
    await page.getByRole("heading", { name: "Changes requested" }).waitFor();
    const { stdout, code } = await review.ended;

    expect(code).toBe(0);
    expect(decisionOf(stdout).behavior).toBe("deny");
    const { message } = decisionOf(stdout);
    expect(message).toContain("## 1. Comment on line 3");
    expect(message).toContain("Every deploy signs everybody out");
    expect(message).toContain("> Is that **really** so?\n> ```\n> break out\n> ```");
    expect(message).toContain(`## 2. Concern about line ${lineOf("single point")}`);
    expect(message).toContain("> What does the on-call do?");
    const image = /diagram\.png: `([^`]+)`/.exec(message)?.[1] ?? "";
    expect(await readFile(image)).toEqual(redPixel);
    expect(await page.locator(".sent-feedback-final").textContent()).toContain("What does the on-call do?");
    expect(errors).toEqual([]);
    expect(foreignRequests).toEqual([]);
  });

  it("the chosen permission mode", async () => {
    const review = await startReview(home, hookEvent(`${samplePlan}\nOnce more.\n`, home.path));
    const { page } = await openReview(browser, review.url);
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByLabel("Permission mode after approval").selectOption("acceptEdits");
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await page.getByRole("heading", { name: "Plan approved" }).waitFor();
    const decision = decisionOf((await review.ended).stdout);

    expect(decision.behavior).toBe("allow");
    expect(decision.updatedPermissions).toEqual([
      { type: "setMode", mode: "acceptEdits", destination: "session" },
    ]);
  });

  it("the annotation that is still being written", async () => {
    const review = await startReview(home, hookEvent(samplePlan, home.path));
    const { page } = await openReview(browser, review.url);
    await selectText(page, "Every deploy");
    await page.keyboard.type("Never added, and meant all the same");
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByRole("button", { name: /^Send to/ }).click();
    await page.getByRole("heading", { name: "Changes requested" }).waitFor();
    expect(decisionOf((await review.ended).stdout).message).toContain("Never added, and meant all the same");
  });

  it("an approval without feedback if there is none", async () => {
    const plan = "# A small plan\n\nDo it.\n";
    const review = await startReview(home, hookEvent(plan, home.path));
    const { page } = await openReview(browser, review.url);
    await page.keyboard.press("a");
    await page.locator("[data-irreversible][aria-disabled=false]").waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByRole("heading", { name: "Plan approved" }).waitFor();
    expect(decisionOf((await review.ended).stdout)).toEqual({ behavior: "allow", updatedInput: { plan } });
  });

  it("the edited plan, followed by the annotations", async () => {
    const review = await startReview(home, hookEvent("# Edited plan\n\nDelete the table.\n", home.path));
    const { page } = await openReview(browser, review.url);
    await comment(page, "Delete the table", "Back it up first.");
    await page.getByText("Edit", { exact: true }).click();
    await page.getByLabel("The plan's Markdown").fill("# Edited plan\n\nRename the table.\n");
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Approve and send comments" }).click();
    await page.getByRole("heading", { name: "Plan approved" }).waitFor();
    const { updatedInput } = decisionOf((await review.ended).stdout);

    expect(updatedInput.plan).toContain("Rename the table.");
    expect(updatedInput.plan).toContain("Back it up first.");
  });

  it("the feedback that the person edited", async () => {
    const review = await startReview(home, "# Plain plan\n\nText of it.\n", ["--json"]);
    const { page } = await openReview(browser, review.url);
    await comment(page, "Text of it", "First thought.");
    await page.keyboard.press("x");
    await page.getByText("Edit text").click();
    await page.getByLabel(/will read/).fill("Second thought.");
    await page.getByRole("button", { name: "Keep reviewing" }).click();
    // A comment that is added later is in the text; the edit is kept, also when the page is opened again.
    await comment(page, "Plain plan", "Another thought.");
    await page.reload();
    await page.getByText("Another thought.").first().waitFor();
    await page.keyboard.press("x");
    await page.locator(".sent-feedback-preview", { hasText: "Another thought." }).waitFor();
    await page.getByRole("button", { name: "Use my edited text" }).click();
    await page.getByText("You have an earlier edit").waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^Send to/ }).click();
    await page.getByRole("heading", { name: "Changes requested" }).waitFor();
    const { stdout } = await review.ended;

    expect(JSON.parse(stdout)).toMatchObject({ decision: "deny", feedback: "Second thought." });
    expect(JSON.parse(stdout).annotations).toHaveLength(2);
  });

  it("the agent to switch to, if there are several", async () => {
    const agents = [
      { name: "build", description: "Writes code", mode: "primary" },
      { name: "docs", description: "Writes docs", mode: "primary" },
    ];
    const envelope = JSON.stringify({ plan: "# Switch\n\nText.\n", origin: "origin_b", agents });
    const review = await startReview(home, envelope);
    const { page } = await openReview(browser, review.url);
    await page.keyboard.press("a");
    await page.getByLabel("Continue with").selectOption({ label: "docs" });
    await page.getByLabel(/^Message to/).fill("Mind the style guide.");
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await page.getByRole("heading", { name: "Plan approved" }).waitFor();
    const result = JSON.parse((await review.ended).stdout);

    expect(result).toMatchObject({ decision: "approve", agentSwitch: "docs" });
    expect(result.feedback).toContain("Mind the style guide.");
  });

  it("no annotation with a rejected image: it shows the reason and keeps the annotation", async () => {
    const review = await startReview(home, "# Refused\n\nText.\n");
    const { page } = await openReview(browser, review.url);
    await page.keyboard.press("g");
    await page.keyboard.type("See this");
    await pasteImage(page, ".composer textarea", Buffer.from("not an image"), "fake.png", "image/png");
    await page.getByText(/fake\.png was not uploaded/).waitFor();
    expect(await page.locator(".composer textarea").inputValue()).toBe("See this");
    review.child.kill("SIGTERM");
    await review.ended;
  });
});

it("a countdown to the agent's timeout is shown in the last hour", async () => {
  const review = await startReview(home, hookEvent(samplePlan, home.path), ["--caller-waits", "7200"]);
  const { page } = await openReview(browser, review.url);
  await page.clock.install();
  await page.reload();
  await page.getByRole("button", { name: "Approve" }).waitFor();
  const banner = page.getByText(/Claude Code waits until .* Your comments are kept/);
  expect(await banner.count()).toBe(0);
  await page.clock.fastForward("01:30:00");
  await banner.waitFor();
  review.child.kill("SIGTERM");
  await review.ended;
});
