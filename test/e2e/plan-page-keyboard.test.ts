import { describe, expect, it } from "vitest";
import { launchBrowserForFile, openReview, selectText } from "../support/browser.ts";
import { hookEvent, makeHomeForFile, startReview } from "../support/plan-review.ts";
import { samplePlan } from "../support/plans.ts";

const home = await makeHomeForFile();
const browser = await launchBrowserForFile();

describe("the plan page by keyboard alone", () => {
  it("reviews, cancels an approval, and requests changes", async () => {
    const review = await startReview(home, hookEvent(samplePlan, home.path));
    const { page, errors } = await openReview(browser, review.url);
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press("j", "j", "c");
    await page.keyboard.type("On the first paragraph");
    await press("Control+Enter", "j", "r");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Somebody may be signed out.");
    await press("Control+Enter", "j", "d", "j", "j", "l");
    await page.getByRole("menu", { name: "Quick label" }).waitFor();
    await press("2");
    await expect.poll(() => page.locator(".cards > .card").count()).toBe(4);

    // Goes back to the first comment, edits it, and removes the deletion again.
    await press("Escape", "N", "e");
    await page.getByRole("region", { name: "Edit comment" }).waitFor();
    await page.keyboard.type(", reworded");
    await press("Control+Enter", "N", "N", "Backspace");
    await expect.poll(() => page.locator(".cards > .card").count()).toBe(3);

    await press("s");
    await page.getByRole("region", { name: "Markdown source" }).waitFor();
    await press("s");
    await page.locator(".plan .markdown").waitFor();
    await press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await press("Escape", "x");
    await page.keyboard.type("Nearly there.");
    await page.locator("[data-irreversible][aria-disabled=false]").waitFor();
    await press("Control+Enter");
    await page.getByRole("heading", { name: "Changes requested" }).waitFor();

    const { message } = JSON.parse((await review.ended).stdout).hookSpecificOutput.decision;
    expect(message).toContain("Nearly there.");
    expect(message).toContain("> On the first paragraph, reworded");
    expect(message).toContain("Somebody may be signed out.");
    expect(message).toContain("Needs tests (line");
    expect(message).not.toContain("Remove this from the plan");
    expect(errors).toEqual([]);
  });

  it("keeps its position in the plan: at the current block, after an annotation, and after an edit", async () => {
    const review = await startReview(home, hookEvent(`${samplePlan}\nPlace.\n`, home.path));
    const { page } = await openReview(browser, review.url);
    const focused = () =>
      page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent?.slice(0, 16));
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await expect.poll(focused).toBe("We keep sessions");
    for (const end of ["Control+Enter", "Escape"]) {
      await page.keyboard.press("c");
      await page.keyboard.type("Why?");
      await page.keyboard.press(end);
      await expect.poll(focused).toBe("We keep sessions");
    }
    // If no element had the focus before a comment on selected text, the focus moves to that text.
    await page.keyboard.press("Escape");
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await selectText(page, "single point of failure");
    await page.getByRole("toolbar").getByRole("button", { name: "Concern" }).click();
    await page.keyboard.type("Is it?");
    await page.keyboard.press("Control+Enter");
    await expect.poll(focused).toBe("Redis becomes a ");
    await page.keyboard.press("E");
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.ariaLabel))
      .toBe("The plan's Markdown");
    await page.keyboard.press("Escape");
    await expect.poll(focused).toBe("plan");
    review.child.kill("SIGTERM");
    await review.ended;
  });

  it("shows the current entry of long contents", async () => {
    const plan = Array.from({ length: 80 }, (_, at) => `## Part ${at}\n\nText.\n`).join("\n");
    const review = await startReview(home, hookEvent(`# Long\n\n${plan}`, home.path));
    const { page } = await openReview(browser, review.url);
    const last = page.getByRole("navigation", { name: "Contents" }).getByRole("link", { name: "Part 79" });
    const isShown = () =>
      last.evaluate((link) => {
        const [inner, outer] = [link, link.closest("nav") ?? link].map((each) =>
          each.getBoundingClientRect(),
        );
        return link.ariaCurrent === "location" && (inner?.bottom ?? 0) <= (outer?.bottom ?? 0);
      });
    expect(await isShown()).toBe(false);
    // The last heading reaches the upper third of the window only if much text follows it.
    await page.evaluate(() => {
      document.body.style.paddingBottom = "200vh";
      scrollTo(0, document.body.scrollHeight);
    });
    await expect.poll(isShown).toBe(true);
    review.child.kill("SIGTERM");
    await review.ended;
  });

  it("reaches everything with Tab, and shows where the focus is", async () => {
    const review = await startReview(home, hookEvent(`${samplePlan}\nTab.\n`, home.path));
    const { page } = await openReview(browser, review.url);
    const reached: string[] = [];
    for (let step = 0; step < 60; step += 1) {
      await page.keyboard.press("Tab");
      const focused = await page.evaluate(() => {
        const element = document.activeElement;
        if (!(element instanceof HTMLElement) || element === document.body) return undefined;
        const outline = getComputedStyle(element).outlineStyle;
        const label = element.closest("label");
        const shown = outline !== "none" || (label && getComputedStyle(label).outlineStyle !== "none");
        const name = element.getAttribute("aria-label") ?? label?.textContent ?? element.textContent ?? "";
        return { name: name.trim(), shown: Boolean(shown) };
      });
      if (!focused) break;
      expect(focused.shown, `focus on "${focused.name}"`).toBe(true);
      reached.push(focused.name);
    }
    for (const name of ["Skip to the plan", "Plan", "Theme", "More", "Deny", "Approve", "General comment"]) {
      expect(reached, reached.join(" | ")).toContain(name);
    }
    review.child.kill("SIGTERM");
    await review.ended;
  });
});
