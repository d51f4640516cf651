import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, newPage, openReview } from "../support/browser.ts";
import { hookEvent, makeHomeForFile, type RunningReview, startReview } from "../support/plan-review.ts";

const home = await makeHomeForFile();
const browser = await launchBrowserForFile();

async function end({ child, ended }: RunningReview): Promise<void> {
  child.kill("SIGTERM");
  await ended;
}

const EDITOR_SCRIPT = /\/assets\/markdown-editor-[^/]+\.js$/;
const textbox = (page: Page): Locator => page.getByRole("textbox", { name: "The plan's Markdown" });
const preview = (page: Page): Locator => page.getByRole("region", { name: "Preview" });
const toggle = (page: Page): Locator => page.getByRole("button", { name: "Preview" });

/** Opens the editor by its key and waits until its script has replaced the text area. */
async function openEditor(page: Page): Promise<Locator> {
  await page.keyboard.press("E");
  await page.locator(".cm-line").first().waitFor();
  return textbox(page);
}

/** Returns the number of the caret's line. */
const caretLine = (page: Page) => page.locator(".cm-activeLineGutter").textContent();
const lines = (page: Page) => page.locator(".cm-line").allTextContents();
const view = (page: Page) => page.locator(".page").getAttribute("data-view");

/** Returns whether an element is in the window and in a pane that contains it. */
function isVisibleIn(pane: Locator, text: string): Promise<boolean> {
  return pane.evaluate((element, wanted) => {
    const found = [...element.querySelectorAll("[data-block]")].find(({ textContent }) =>
      textContent?.includes(wanted),
    );
    const box = found?.getBoundingClientRect();
    const outer = element.getBoundingClientRect();
    if (!box) return false;
    return box.top >= Math.max(outer.top, 0) && box.top < Math.min(outer.bottom, innerHeight);
  }, text);
}

function decidedPlan(stdout: string): string {
  return JSON.parse(stdout).hookSpecificOutput.decision.updatedInput.plan;
}

const paragraphs = Array.from({ length: 90 }, (_, index) => `Paragraph ${index} of the plan.`);
const long = `# Long\n\n${paragraphs.join("\n\n")}\n`;

describe("the editor of the plan", () => {
  it("does not let an emptied plan be approved until the edits are reverted", async () => {
    const plan = "# Emptied plan\n\nSome text.\n";
    const review = await startReview(home, hookEvent(plan, home.path));
    const { page } = await openReview(browser, review.url);
    await openEditor(page);
    await textbox(page).press("Control+a");
    await page.keyboard.press("Delete");
    await page.getByRole("button", { name: "Approve" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("The plan as you edited it is empty.").waitFor();
    expect(await dialog.getByRole("button", { name: "Approve" }).getAttribute("aria-disabled")).toBe("true");
    await dialog.getByRole("button", { name: "Revert my edits" }).click();
    await expect.poll(() => dialog.getByText("is empty").count()).toBe(0);
    const approve = dialog.getByRole("button", { name: "Approve" });
    await expect.poll(() => approve.getAttribute("aria-disabled")).toBe("false");
    await approve.click();
    expect(decidedPlan((await review.ended).stdout)).toBe(plan);
  });

  it.each(["light", "dark"] as const)(
    "numbers lines and highlights Markdown in the %s theme",
    async (theme) => {
      const review = await startReview(
        home,
        hookEvent(`# Title ${theme}\n\nSome **bold** text.\n`, home.path),
      );
      const { page, errors, foreignRequests } = await openReview(browser, review.url, { theme });
      const violations: string[] = [];
      page.on("console", (message) => {
        if (/Content Security Policy/.test(message.text())) violations.push(message.text());
      });
      const requests: string[] = [];
      page.on("request", (request) => requests.push(request.url()));
      await openEditor(page);
      expect(requests.filter((url) => EDITOR_SCRIPT.test(url))).toHaveLength(1);
      await expect
        .poll(() => page.locator(".cm-lineNumbers .cm-gutterElement:visible").allTextContents())
        .toEqual(["1", "2", "3", "4"]);
      const colors = await page.locator(".cm-line").evaluateAll(([heading, , text]) => {
        const probe = document.createElement("span");
        probe.style.color = "var(--copper-strong)";
        document.body.append(probe);
        const color = (element: Element | null | undefined) => element && getComputedStyle(element).color;
        const bold = [...(text?.querySelectorAll("span") ?? [])].find((span) => span.textContent === "bold");
        return {
          wanted: color(probe),
          heading: color([...(heading?.querySelectorAll("span") ?? [])].at(-1)),
          text: color(text),
          page: color(document.documentElement),
          weight: bold && getComputedStyle(bold).fontWeight,
        };
      });
      expect(colors.heading).toBe(colors.wanted);
      expect(colors.text).toBe(colors.page);
      expect(colors.weight).toBe("700");
      expect([...errors, ...violations, ...foreignRequests]).toEqual([]);
      await end(review);
    },
  );

  it("finds text, and closes the search before it returns to the plan", async () => {
    const review = await startReview(home, hookEvent("# Find\n\nOne needle.\n\nTwo needles.\n", home.path));
    const { page } = await openReview(browser, review.url);
    await openEditor(page);
    await page.keyboard.press("Control+f");
    const field = page.getByRole("textbox", { name: "Find" });
    await field.waitFor();
    // The panel searches with each key.
    await page.keyboard.type("needle");
    await expect.poll(() => page.locator(".cm-searchMatch").count()).toBe(2);
    await page.keyboard.press("Enter");
    await expect.poll(() => caretLine(page)).toBe("3");
    await page.keyboard.press("Enter");
    await expect.poll(() => caretLine(page)).toBe("5");
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
    expect(await view(page)).toBe("edit");
    await expect.poll(() => textbox(page).evaluate((each) => each === document.activeElement)).toBe(true);
    await page.keyboard.press("Escape");
    await page.locator('.page[data-view="plan"]').waitFor();
    await end(review);
  });

  it("opens with the caret at the line that was read, and leaves Tab to the page", async () => {
    const review = await startReview(home, hookEvent(long, home.path));
    const { page } = await openReview(browser, review.url);
    await page.getByText("Paragraph 60 of").evaluate((element) => element.scrollIntoView({ block: "start" }));
    await openEditor(page);
    const read = Number(await caretLine(page));
    const wanted = long.slice(0, long.indexOf("Paragraph 60 of")).split("\n").length;
    expect(Math.abs(read - wanted)).toBeLessThanOrEqual(4);
    await page.keyboard.press("Tab");
    expect(await textbox(page).evaluate((each) => each.contains(document.activeElement))).toBe(false);
    await textbox(page).focus();
    await page.keyboard.press("Shift+Tab");
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Done");
    await end(review);
  });

  it("keeps typed text over Escape and a reload, and undoes it after both views were open", async () => {
    const review = await startReview(home, hookEvent("# Kept\n\nText.\n", home.path));
    const { page } = await openReview(browser, review.url);
    await openEditor(page);
    await page.keyboard.press("Control+End");
    await page.keyboard.type("Typed here.");
    await page.keyboard.press("Escape");
    await page.locator(".plan p", { hasText: "Typed here." }).waitFor();
    await openEditor(page);
    await expect.poll(() => lines(page)).toEqual(["# Kept", "", "Text.", "Typed here."]);
    await page.keyboard.press("Control+z");
    await expect.poll(() => lines(page)).toEqual(["# Kept", "", "Text.", ""]);
    await page.getByText("Edited", { exact: true }).waitFor({ state: "detached" });
    await page.keyboard.press("Control+y");
    await expect.poll(() => lines(page)).toEqual(["# Kept", "", "Text.", "Typed here."]);
    await page.getByText("Draft saved").waitFor();
    await page.reload();
    await page.locator(".plan p", { hasText: "Typed here." }).waitFor();
    await openEditor(page);
    await expect.poll(() => lines(page)).toEqual(["# Kept", "", "Text.", "Typed here."]);
    await end(review);
  });

  it("keeps the line ends of the plan", async () => {
    const review = await startReview(home, hookEvent("# Ends\r\n\r\nText.\r\n", home.path));
    const { page } = await openReview(browser, review.url);
    await openEditor(page);
    await page.keyboard.press("Control+End");
    await page.keyboard.type("- one");
    // Continues the list.
    await page.keyboard.press("Enter");
    await page.keyboard.type("two");
    await page.getByRole("button", { name: "Approve" }).click();
    await page.locator("[data-irreversible][aria-disabled=false]").waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByRole("heading", { name: "Plan approved" }).waitFor();
    expect(decidedPlan((await review.ended).stdout)).toBe("# Ends\r\n\r\nText.\r\n- one\r\n- two");
  });

  it("marks invisible characters, and undoes a revert of the edits", async () => {
    const plan = "# Marks\n\nOver\u202eride, zero\u200bwidth.\n";
    const review = await startReview(home, hookEvent(plan, home.path));
    const { page } = await openReview(browser, review.url);
    await openEditor(page);
    const marks = () => page.locator(".cm-line .deceptive").allTextContents();
    await expect.poll(marks).toEqual(["U+202E", "U+200B"]);
    await page.keyboard.press("Control+a");
    await page.keyboard.type("New");
    await expect.poll(() => lines(page)).toEqual(["New"]);
    await page.getByRole("button", { name: "Revert my edits" }).click();
    await expect.poll(marks).toEqual(["U+202E", "U+200B"]);
    await textbox(page).focus();
    await page.keyboard.press("Control+z");
    await expect.poll(() => lines(page)).toEqual(["New"]);
    await page.getByText("Edited", { exact: true }).waitFor();
    await end(review);
  });

  it("takes over what was typed and selected before its script has loaded", async () => {
    const review = await startReview(home, hookEvent("# Slow\n\nText.\n", home.path));
    const { page } = await openReview(browser, review.url);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(EDITOR_SCRIPT, async (route) => {
      await released;
      await route.continue();
    });
    await page.keyboard.press("E");
    const area = page.locator("textarea.edit-text");
    await area.waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.type("Before");
    await page.keyboard.press("Shift+ArrowLeft");
    release();
    await area.waitFor({ state: "detached" });
    await page.keyboard.type("e, after");
    await expect.poll(() => lines(page)).toEqual(["# Slow", "Before, after", "Text.", ""]);
    await end(review);
  });

  it("stays a text area with everything in it if the script cannot be loaded", async () => {
    const review = await startReview(home, hookEvent("# Fails\n\nText.\n", home.path));
    const { page, errors } = await openReview(browser, review.url);
    const failed = page.waitForEvent("requestfailed", (request) => EDITOR_SCRIPT.test(request.url()));
    await page.route(EDITOR_SCRIPT, (route) => route.abort());
    await page.keyboard.press("E");
    await failed;
    await page.keyboard.press("Control+End");
    await page.keyboard.type("Typed here.");
    expect(await textbox(page).inputValue()).toBe("# Fails\n\nText.\nTyped here.");
    await page.keyboard.press("Escape");
    await page.locator(".plan p", { hasText: "Typed here." }).waitFor();
    await page.keyboard.press("E");
    expect(await textbox(page).inputValue()).toBe("# Fails\n\nText.\nTyped here.");
    expect(errors).toEqual([]);
    await end(review);
  });

  it("edits a plan of more than a million characters in a text area", async () => {
    const plan = `# Very long\n\n${"A line of a very long plan.\n".repeat(40_000)}`;
    const review = await startReview(home, hookEvent(plan, home.path));
    const { page } = await openReview(browser, review.url);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.keyboard.press("E");
    await page.locator("textarea.edit-text").waitFor();
    await page.keyboard.type("First. ");
    expect((await textbox(page).inputValue()).startsWith("First. # Very long")).toBe(true);
    expect(await toggle(page).count()).toBe(0);
    expect(requests.filter((url) => EDITOR_SCRIPT.test(url))).toEqual([]);
    await end(review);
  });

  it("is not part of what the page loads first", async () => {
    const review = await startReview(home, hookEvent("# First load\n\nText.\n", home.path));
    const page = await newPage(browser);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(review.url, { waitUntil: "networkidle" });
    await page.locator(".page[data-view] .plan p").waitFor();
    expect(requests.filter((url) => EDITOR_SCRIPT.test(url))).toEqual([]);
    await end(review);
  });
});

describe("the preview of the edited plan", () => {
  it("stands beside the editor on wide screens and follows the caret", async () => {
    const review = await startReview(home, hookEvent(long.replace("# Long", "# Wide"), home.path));
    const { page } = await openReview(browser, review.url, { width: 1400 });
    await openEditor(page);
    expect(await toggle(page).getAttribute("aria-pressed")).toBe("true");
    await preview(page).getByRole("heading", { name: "Wide" }).waitFor();
    expect(await isVisibleIn(preview(page), "Paragraph 89 of")).toBe(false);
    await page.keyboard.press("Control+End");
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => isVisibleIn(preview(page), "Paragraph 89 of")).toBe(true);
    await page.keyboard.press("Control+End");
    await page.keyboard.type("\n## Added at the end");
    await preview(page).getByRole("heading", { name: "Added at the end" }).waitFor();
    await expect.poll(() => isVisibleIn(preview(page), "Added at the end")).toBe(true);
    const boxes = await Promise.all([page.locator(".cm-editor").boundingBox(), preview(page).boundingBox()]);
    expect((boxes[0]?.x ?? 0) + (boxes[0]?.width ?? 0)).toBeLessThan(boxes[1]?.x ?? 0);
    await toggle(page).click();
    await preview(page).waitFor({ state: "detached" });
    await toggle(page).press("Escape");
    await page.locator('.page[data-view="plan"]').waitFor();
    await end(review);
  });

  it("replaces the editor in a window of 360 px, which fits both", async () => {
    const wide = `${"word ".repeat(60)}${"unbroken".repeat(40)}`;
    const review = await startReview(home, hookEvent(`# Narrow\n\n${wide}\n\nLast.\n`, home.path));
    const { page } = await openReview(browser, review.url, { width: 360, height: 740 });
    await page.getByText("Edit", { exact: true }).click();
    await page.locator(".cm-line").first().waitFor();
    const overflow = () =>
      page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        const scroller = document.querySelector(".cm-scroller");
        return Math.max(
          scrollWidth - clientWidth,
          (scroller?.scrollWidth ?? 0) - (scroller?.clientWidth ?? 0),
        );
      });
    await expect.poll(overflow).toBe(0);
    expect(await preview(page).count()).toBe(0);
    await page.keyboard.press("Control+End");
    await page.keyboard.type("Typed here.");
    await toggle(page).click();
    await preview(page).getByText("Typed here.").waitFor();
    expect(await textbox(page).isVisible()).toBe(false);
    await expect.poll(overflow).toBe(0);
    await expect.poll(() => isVisibleIn(preview(page), "Typed here.")).toBe(true);
    await toggle(page).click();
    await textbox(page).getByText("Typed here.").waitFor();
    await end(review);
  });
});
