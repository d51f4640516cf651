import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, openReview, selectText } from "../support/browser.ts";
import { hookEvent, makeHomeForEachTest, startReview } from "../support/plan-review.ts";
import { redPixel, samplePlan } from "../support/plans.ts";

const browser = await launchBrowserForFile();
const home = makeHomeForEachTest();

/** Moves the pointer to the first match of `selector` and clicks the icon beside it. */
async function pointAndOpen(page: Page, selector: string): Promise<void> {
  const pointedAt = page.locator(selector).first();
  await pointedAt.hover();
  const sign = page.locator(".block-handle");
  // The icon may still be beside the previous element.
  await expect.poll(async () => isBeside(await sign.boundingBox(), await pointedAt.boundingBox())).toBe(true);
  const box = await sign.boundingBox();
  if (!box) throw new Error("the sign has no place");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 8 });
  await page.mouse.down();
  await page.mouse.up();
  await page.getByRole("toolbar").waitFor();
}

type Box = Awaited<ReturnType<Locator["boundingBox"]>>;

function isBeside(sign: Box, pointedAt: Box): boolean {
  if (!sign || !pointedAt) return false;
  const middle = sign.y + sign.height / 2;
  return middle > pointedAt.y && middle < pointedAt.y + pointedAt.height;
}

/** Returns the center of the first commented text that is not active, scrolled into view. */
function markPosition(page: Page): Promise<{ readonly x: number; readonly y: number } | undefined> {
  return page.evaluate(() => {
    const [range] = CSS.highlights.get("annotation-comment") ?? [];
    (range as Range | undefined)?.startContainer.parentElement?.scrollIntoView({ block: "center" });
    const box = (range as Range | undefined)?.getBoundingClientRect();
    return box && { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  });
}

/** Returns whether the field is visible and not covered by another element. */
function isInSight(page: Page, selector: string): Promise<boolean> {
  return page.locator(selector).evaluate((field) => {
    const { left, top, width, height } = field.getBoundingClientRect();
    return document.elementFromPoint(left + width / 2, top + height / 2) === field;
  });
}

describe("in a narrow window", () => {
  it("the sidebar closes for an annotation in the plan, and no empty one returns", async () => {
    const review = await startReview(home, hookEvent(samplePlan, home.path));
    const { page } = await openReview(browser, review.url, { width: 360 });
    const field = ".composer textarea";
    await page.keyboard.press(".");
    await page.locator(".sidebar-open").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("c");
    await expect.poll(() => isInSight(page, field)).toBe(true);
    await page.keyboard.type("Seen while typed");
    await page.keyboard.press("Control+Enter");
    await page.keyboard.press(".");
    await page.getByRole("button", { name: /^Edit: / }).click();
    await expect.poll(() => isInSight(page, field)).toBe(true);
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("c");
    await page.locator(field).waitFor();
    await page.reload();
    await expect.poll(() => page.locator(".sidebar-toggle .badge").textContent()).toBe("1");
    expect(await page.locator(field).count()).toBe(0);
    review.child.kill("SIGTERM");
    await review.ended;
  });
});

describe("annotating the source", () => {
  it("a click on a line number annotates that line, which then links to its annotation", async () => {
    const review = await startReview(home, hookEvent(`${samplePlan}\nBy its source.\n`, home.path));
    const { page } = await openReview(browser, review.url);
    await page.keyboard.press("s");
    const line = samplePlan.split("\n").indexOf("1. Add the client and a setting.") + 1;
    await page.getByRole("button", { name: `Annotate line ${line}`, exact: true }).click();
    await page.keyboard.type("Which client?");
    await page.keyboard.press("Control+Enter");
    const card = page.locator(".sidebar .card");
    await card.getByText("Which client?").waitFor();
    expect(await card.locator(".card-quote").textContent()).toBe("Add the client and a setting.");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: `Line ${line}, show its comment` }).click();
    expect(await card.getAttribute("class")).toContain("card-active");
    review.child.kill("SIGTERM");
    await review.ended;
  });

  it("selected lines are annotated by key, also in a narrow window", async () => {
    const review = await startReview(home, hookEvent(`${samplePlan}\nBy lines.\n`, home.path));
    const { page } = await openReview(browser, review.url, { width: 360 });
    await page.keyboard.press("s");
    await page.locator(".source").waitFor();
    await page.evaluate(() => {
      const codes = [...document.querySelectorAll(".source-line code")];
      const [first, last] = ["2. Write the store", "3. Run both"].map((text) =>
        codes.find((code) => code.textContent.startsWith(text)),
      );
      if (first && last) getSelection()?.setBaseAndExtent(first, 0, last, last.childNodes.length);
    });
    await page.keyboard.press("!");
    await page.keyboard.type("In this order?");
    await page.keyboard.press("Control+Enter");
    const quote = page.locator(".sidebar .card-quote");
    await quote.waitFor({ state: "attached" });
    expect(await quote.textContent()).toMatch(/^Write the store.*Run both stores side by side\.$/s);
    review.child.kill("SIGTERM");
    await review.ended;
  });
});

describe("annotating by key", () => {
  it("hides the toolbar once the selection is marked for removal", async () => {
    const review = await startReview(home, hookEvent(`${samplePlan}\nWithout a trace.\n`, home.path));
    const { page } = await openReview(browser, review.url);
    await selectText(page, "Every deploy");
    await page.getByRole("toolbar").waitFor();
    await page.keyboard.press("d");
    await page.locator(".card").waitFor();
    await page.getByRole("toolbar").waitFor({ state: "detached" });
    review.child.kill("SIGTERM");
    await review.ended;
  });

  it("shows the positions of annotations in a long plan, and a click goes there", async () => {
    const plan = `# Far away\n\n${"A paragraph among many.\n\n".repeat(80)}The last one.\n`;
    const review = await startReview(home, hookEvent(plan, home.path));
    const { page } = await openReview(browser, review.url);
    await selectText(page, "The last one");
    await page.keyboard.press("c");
    await page.keyboard.type("At last");
    await page.keyboard.press("Control+Enter");
    await page.keyboard.press("Escape");
    await page.evaluate(() => scrollTo(0, 0));
    const mark = page.locator(".annotation-marks button");
    const height = page.viewportSize()?.height ?? 0;
    expect((await mark.boundingBox())?.y).toBeGreaterThan(height * 0.9);
    await mark.click();
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(500);
    review.child.kill("SIGTERM");
    await review.ended;
  });
});

describe("annotating by pointer", () => {
  it("marks a list item, a table row and a line of code as a whole", async () => {
    const review = await startReview(home, hookEvent(samplePlan, home.path), []);
    const { page } = await openReview(browser, review.url);
    await page.locator(".hl-keyword").first().waitFor();
    for (const selector of [".plan li [data-block]", ".plan tbody tr", ".plan pre .hl-title"]) {
      await pointAndOpen(page, selector);
      await page.getByRole("toolbar").getByRole("button", { name: "Delete" }).click();
    }
    const quotes = await page.locator(".card-quote").allTextContents();
    expect(quotes).toEqual([
      "Store\nMap in memory\nRedisSessionStore",
      "get(id: string): Promise<Session | undefined>;",
      "Add the client and a setting.",
    ]);
    review.child.kill("SIGTERM");
    await review.ended;
  });

  it("a click on annotated text shows its annotation, and the reverse", async () => {
    const review = await startReview(home, hookEvent(`${samplePlan}\nBoth ways.\n`, home.path));
    const { page } = await openReview(browser, review.url);
    for (const text of ["Every deploy", "single point"]) {
      await selectText(page, text);
      await page.keyboard.press("c");
      await page.keyboard.type(`On ${text}`);
      await page.keyboard.press("Control+Enter");
    }
    const active = page.locator(".card-active");
    await expect.poll(() => active.textContent()).toContain("On single point");
    await page.locator(".card").first().locator(".card-position").click();
    await expect.poll(() => active.textContent()).toContain("On Every deploy");
    // Showing a comment scrolls to its text, without animation if the person prefers reduced motion. The other text
    // is searched after that.
    const position = await markPosition(page);
    if (!position) throw new Error("no other text is marked");
    await page.mouse.click(position.x, position.y);
    await expect.poll(() => active.textContent()).toContain("On single point");
    review.child.kill("SIGTERM");
    await review.ended;
  });

  it("draws on an attached image, and attaches what was drawn", async () => {
    const review = await startReview(home, hookEvent(`${samplePlan}\nDrawn.\n`, home.path));
    const { page } = await openReview(browser, review.url);
    await page.keyboard.press("g");
    const file = join(home.path, "shot.png");
    await writeFile(file, redPixel);
    await page.locator(".composer input[type=file]").setInputFiles(file);
    await page.getByRole("button", { name: "Draw on shot.png" }).click();
    const canvas = page.locator("canvas");
    await canvas.waitFor();
    const box = await canvas.boundingBox();
    if (!box) throw new Error("no canvas");
    await page.getByText("Rectangle").click();
    await page.mouse.move(box.x, box.y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width, box.y + box.height, { steps: 3 });
    await page.mouse.up();
    await page.getByRole("button", { name: "Use drawing" }).click();
    await page.getByRole("img", { name: "shot-marked.png" }).waitFor();
    await page.getByRole("button", { name: "Add comment" }).click();
    await page.keyboard.press("x");
    await page.getByRole("button", { name: /^Send to/ }).click();
    const { stdout } = await review.ended;
    const { message } = JSON.parse(stdout).hookSpecificOutput.decision;
    const path = /shot-marked\.png: `([^`]+)`/.exec(message)?.[1] ?? "";
    expect((await readFile(path)).subarray(1, 4).toString()).toBe("PNG");
    expect(message).not.toContain("shot.png:");
  });
});

describe("saving an approved plan", () => {
  it("uses a vault of this machine with folder and tags, and stores the choice for the next review", async () => {
    const vault = join(home.path, "Notes");
    const configuration = join(home.path, ".config/obsidian");
    await mkdir(join(vault, ".obsidian"), { recursive: true });
    await mkdir(configuration, { recursive: true });
    await writeFile(join(configuration, "obsidian.json"), JSON.stringify({ vaults: { a: { path: vault } } }));
    const review = await startReview(home, hookEvent("# To the vault\n\nText.\n", home.path));
    const { page } = await openReview(browser, review.url);
    await page.keyboard.press("a");
    await page.locator(".saves summary").click();
    await page.getByLabel("Save approved plans to an Obsidian vault").check();
    await page.getByLabel("Folder in the vault").fill("Plans");
    await page.getByLabel("Tags").fill("#plan redis");
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await page.getByRole("heading", { name: "Plan approved" }).waitFor();
    await review.ended;
    const [name = ""] = await readdir(join(vault, "Plans"));
    const saved = await readFile(join(vault, "Plans", name), "utf8");
    expect(saved).toContain("# To the vault");
    expect(saved).toMatch(/plan.*redis/s);

    const next = await startReview(home, hookEvent("# The next plan\n\nText.\n", home.path));
    const { page: later } = await openReview(browser, next.url);
    await later.keyboard.press("a");
    await later.getByText(/A copy goes to .*Obsidian \(Notes\)/).waitFor();
    next.child.kill("SIGTERM");
    await next.ended;
  });
});
