import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { launchBrowserForFile, openPage, openReview, selectText } from "../support/browser.ts";
import { PNG } from "../support/images.ts";
import { makeHomeForEachTest, type RunningReview, startReview } from "../support/plan-review.ts";
import { samplePlan } from "../support/plans.ts";
import { savePage } from "../support/save-page.ts";

const browser = await launchBrowserForFile();
const home = makeHomeForEachTest();
let review: RunningReview;
const plan = `${samplePlan}\n\`\`\`mermaid\nflowchart LR\n  A --> B\n\`\`\`\n\n</script><script>window.__ran=1</script>\n`;
beforeEach(async () => {
  review = await startReview(home, plan);
});
afterEach(async () => {
  review.child.kill("SIGTERM");
  await review.ended;
});

/** Comments on the plan's first paragraph. */
async function note(page: Page): Promise<void> {
  await selectText(page, "Every deploy");
  await page.keyboard.press("c");
  await page.keyboard.type("From me");
  await page.keyboard.press("Control+Enter");
}

describe("a plan in one HTML file", () => {
  it("can be read and annotated, and its annotations imported", async () => {
    const { page } = await openReview(browser, review.url);
    await note(page);
    const file = await savePage(page, join(home.path, "shared.html"));

    const colleague = await openPage(browser, pathToFileURL(file).href);
    const requests: string[] = [];
    colleague.page.on("request", (request) => requests.push(request.url()));
    await colleague.page.locator(".card").getByText("From me").waitFor();
    await colleague.page.locator(".diagram img").waitFor();
    await colleague.page.getByLabel("Your name").fill("Grace");
    await selectText(colleague.page, "single point of failure");
    await colleague.page.keyboard.press("!");
    await colleague.page.keyboard.type("From a colleague");
    await colleague.page.keyboard.press("Control+Enter");
    await colleague.page.locator(".card", { hasText: "From a colleague" }).waitFor();
    colleague.page.on("dialog", (dialog) => void dialog.accept());
    await colleague.page.reload();
    await colleague.page.locator(".card", { hasText: "From a colleague" }).waitFor();
    const notes = colleague.page.waitForEvent("download");
    await colleague.page.getByRole("button", { name: "Save my comments" }).click();
    const notesFile = join(home.path, "notes.json");
    await (await notes).saveAs(notesFile);
    expect(await colleague.page.evaluate(() => "__ran" in window)).toBe(false);
    // The page itself is loaded again by the reload.
    const ownUrl = pathToFileURL(file).href;
    expect(requests.filter((url) => !/^(blob|data):/.test(url) && url !== ownUrl)).toEqual([]);
    expect(colleague.errors).toEqual([]);

    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Import comments …" }).click();
    await page.getByLabel(/A comments file/).setInputFiles(notesFile);
    await page.getByRole("button", { name: "Add 1 comment" }).click();
    await expect.poll(() => page.locator(".card").count()).toBe(2);
    expect(await page.locator(".card", { hasText: "From a colleague" }).textContent()).toContain("Grace");
  });

  it("shows the images of comments, which an import leaves out", async () => {
    const image = join(home.path, "shot.png");
    await writeFile(image, PNG);
    const { page } = await openReview(browser, review.url);
    await page.keyboard.press("g");
    await page.locator(".composer input[type=file]").setInputFiles(image);
    await page.locator(".composer .thumbnail img").waitFor();
    await page.locator(".composer textarea").fill("As shown");
    await page.keyboard.press("Control+Enter");
    const attached = page.locator(".card .thumbnail img");
    const [, path = ""] = /path=(.*)/.exec((await attached.getAttribute("src")) ?? "") ?? [];
    const file = await savePage(page, join(home.path, "shared.html"));
    expect(decodeURIComponent(path)).toContain("/");
    expect(await readFile(file, "utf8")).not.toContain(decodeURIComponent(path));

    const colleague = await openPage(browser, pathToFileURL(file).href);
    const shown = colleague.page.locator(".card .thumbnail img");
    await shown.waitFor();
    expect(await shown.getAttribute("src")).toMatch(/^data:image\/png;base64,/);
    await expect.poll(() => shown.evaluate((each) => Reflect.get(each, "naturalWidth"))).toBe(1);
    await colleague.page.getByRole("button", { name: /^Edit: / }).click();
    await colleague.page.getByRole("button", { name: "Remove shot.png" }).waitFor();
    expect(await colleague.page.getByRole("button", { name: "Draw on shot.png" }).count()).toBe(0);
    expect(colleague.errors).toEqual([]);

    const other = await startReview(home, `${plan}\nA later version.\n`);
    const { page: later } = await openReview(browser, other.url);
    await later.getByRole("button", { name: "More", exact: true }).click();
    await later.getByRole("menuitem", { name: "Import comments …" }).click();
    await later.getByLabel(/A comments file/).setInputFiles(file);
    await later.getByRole("button", { name: "Add 1 comment" }).click();
    const imported = later.locator(".sidebar > .cards .card", { hasText: "As shown" });
    await imported.waitFor();
    expect(await imported.locator(".thumbnail").count()).toBe(0);
    other.child.kill("SIGTERM");
    await other.ended;
  });

  it("is rejected with a reason if the file is not one", async () => {
    const { page } = await openReview(browser, review.url);
    const file = join(home.path, "other.json");
    await writeFile(file, '{"something": "else"}');
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Import comments …" }).click();
    await page.getByLabel(/A comments file/).setInputFiles(file);
    await page.getByText("This is not a shared plan").waitFor();
  });
});

describe("a plan in a link", () => {
  it("opens in the review with its annotations", async () => {
    const { page } = await openReview(browser, review.url);
    await note(page);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Share …" }).click();
    const field = page.getByLabel("Link");
    await expect.poll(() => field.inputValue()).toContain("#shared=");
    const link = await field.inputValue();

    const other = await startReview(home, `${plan}\nA later version.\n`);
    const { page: later } = await openReview(
      browser,
      link.replace(review.url.replace(/\/$/, ""), other.url.replace(/\/$/, "")),
    );
    await later.getByRole("button", { name: "Preview" }).click();
    await later.getByRole("button", { name: /^Add \d+ comment/ }).click();
    await later.locator(".card").getByText("From me").waitFor();
    expect(later.url()).not.toContain("#shared");
    other.child.kill("SIGTERM");
    await other.ended;
  });

  it("is not offered if sharing is switched off", async () => {
    const off = await startReview(
      home,
      JSON.stringify({ plan: "# Private\n\nText.\n", sharingEnabled: false }),
    );
    const { page } = await openReview(browser, off.url);
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Import comments …" }).waitFor();
    expect(await page.getByRole("menuitem", { name: "Share …" }).count()).toBe(0);
    off.child.kill("SIGTERM");
    await off.ended;
  });
});
