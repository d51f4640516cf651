import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { violations } from "../support/accessibility.ts";
import { launchBrowserForFile, newContext } from "../support/browser.ts";
import {
  changedRepository,
  draftSaved,
  dragLines,
  openCodeReview,
  writeGeneralComment,
} from "../support/code-review-page.ts";

const browser = await launchBrowserForFile();

describe.each(["light", "dark"] as const)("axe finds no violation in the %s code page", (theme) => {
  it("in any of its states", async () => {
    const { page, child } = await openCodeReview(browser, await changedRepository(), { theme });
    const look = async (state: string) => expect(await violations(page), state).toEqual([]);
    await page.locator(".t-keyword").first().waitFor();
    await look("just opened");

    await dragLines(page, "src/cart.ts", "new", 30, 31);
    await look("while a comment is written");
    await page.locator(".comment-open").getByText("Suggestion").click();
    await page.locator(".suggestion-code").fill("  const line30 = 1;");
    await look("while a change is suggested");
    await page.keyboard.press("Control+Enter");
    await page.keyboard.press(".");
    await page.keyboard.press("/");
    await page.keyboard.type("const");
    await page.keyboard.press("Enter");
    await page.locator(".found-current").waitFor();
    await look("with the comments, a search and a cursor");
    await page.keyboard.press("Escape");
    await page.keyboard.press("h");
    await look("unified");

    for (const [key, name] of [
      ["Control+Shift+Enter", "send"],
      ["a", "approve"],
      ["Control+k", "palette"],
      ["?", "keyboard"],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole("dialog").waitFor();
      await look(`dialog: ${name}`);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    await page.setViewportSize({ width: 360, height: 740 });
    await look("narrow");
    child.kill("SIGTERM");
  });
});

it("has a heading also in a narrow window, before the compared versions", async () => {
  const repository = await changedRepository();
  const { page, child } = await openCodeReview(browser, repository, { width: 360, height: 740 });
  await page.locator(".row.unified").first().waitFor();
  expect(await violations(page)).toEqual([]);
  const name = page.getByRole("heading", { level: 1 });
  expect(await name.textContent()).toContain(basename(repository.root));
  await page.setViewportSize({ width: 768, height: 740 });
  const [title, choice] = await Promise.all([name.boundingBox(), page.locator(".diff-select").boundingBox()]);
  expect(await name.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)).toBe(true);
  expect((title?.x ?? 0) + (title?.width ?? 0)).toBeLessThanOrEqual(choice?.x ?? 0);
  child.kill("SIGTERM");
});

it("adds a draft's comments to the feedback that is already open", async () => {
  const repository = await changedRepository();
  const first = await openCodeReview(browser, repository);
  await writeGeneralComment(first.page, "From the draft");
  await draftSaved(first.page);
  await first.page.context().close();
  const context = await newContext(browser);
  const page = await context.newPage();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/api/draft*", async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(first.url);
  await page.locator(".review:not(.prerendered)").waitFor();
  await page.keyboard.press("Control+Shift+Enter");
  await page.getByText("There are no comments yet").waitFor();
  release();
  const text = page.getByRole("dialog").locator("textarea");
  await expect.poll(() => text.inputValue()).toContain("From the draft");
  expect(await page.getByText("There are no comments yet").count()).toBe(0);
  await context.close();
  first.child.kill("SIGTERM");
});

it("fits 360 pixels without sideways scrolling, with the decisions side by side", async () => {
  const { page, child } = await openCodeReview(browser, await changedRepository(), {
    width: 360,
    height: 740,
  });
  await page.locator(".row.unified").first().waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  expect(await page.locator(".diff").evaluate((element) => element.scrollWidth)).toBeLessThanOrEqual(360);
  const topOf = (name: string) =>
    page.getByRole("button", { name }).evaluate((button) => button.getBoundingClientRect().top);
  for (const width of [360, 420]) {
    await page.setViewportSize({ width, height: 740 });
    expect(await topOf("Send"), `at ${width} pixels`).toBe(await topOf("Approve"));
  }
  child.kill("SIGTERM");
});
