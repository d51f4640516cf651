import { describe, expect, it } from "vitest";
import { launchBrowserForFile, newContext } from "../support/browser.ts";
import { numberCell, openCodeReview, startCodeReview } from "../support/code-review-page.ts";
import { type TestRepository, testRepository } from "../support/test-repository.ts";

const browser = await launchBrowserForFile();

/** A branch with two commits, the first with a message of two paragraphs. */
async function branchOfTwo(): Promise<TestRepository> {
  const repository = await testRepository({ "a.txt": "one\n" });
  await repository.git("checkout", "--quiet", "-b", "topic");
  await repository.write({ "a.txt": "one\ntwo\n" });
  await repository.commit("Add the second line\n\nThe first was lonely.");
  await repository.write({ "b.txt": "other\n" });
  await repository.commit("Add another file");
  return repository;
}

describe("the commits of a branch", () => {
  it("can be read one by one, with their messages, and comments stay at their lines", async () => {
    const review = await openCodeReview(browser, await branchOfTwo());
    const { page } = review;
    await page.getByRole("button", { name: "Step through 2 commits" }).click();
    const bar = page.getByRole("region", { name: "Commit" });
    await bar.getByText("Commit 1 of 2").waitFor();
    await bar.getByText("Add the second line").waitFor();
    await bar.getByRole("button", { name: "Show message" }).click();
    await bar.getByText("The first was lonely.").waitFor();
    await numberCell(page, "a.txt", "new", 2).click();
    await page.locator(".comment-open textarea").fill("On the second line");
    await page.keyboard.press("Control+Enter");
    await page.keyboard.press("}");
    await bar.getByText("Commit 2 of 2").waitFor();
    await page.locator('.file[data-path="b.txt"]').waitFor();
    expect(await page.locator('.file[data-path="a.txt"]').count()).toBe(0);
    await page.keyboard.press("{");
    await bar.getByText("Commit 1 of 2").waitFor();
    await page.locator(".comment", { hasText: "On the second line" }).waitFor();
    await bar.getByRole("button", { name: "All changes" }).click();
    await bar.waitFor({ state: "detached" });
    review.child.kill("SIGTERM");
  });

  it("take one line on a phone, which unfolds to the whole message", async () => {
    const repository = await branchOfTwo();
    const title = "Correct the order in which the stones of the outer wall are laid, counted and raised";
    await repository.write({ "c.txt": "stone\n" });
    await repository.commit(`${title}\n\nThey were in disorder.`);
    const review = await openCodeReview(browser, repository);
    const { page } = review;
    await page.setViewportSize({ width: 360, height: 740 });
    await page.keyboard.press("{");
    const bar = page.getByRole("region", { name: "Commit" });
    await bar.getByText(title).waitFor();
    const [folded, line] = await Promise.all([
      bar.boundingBox(),
      bar.getByRole("button", { name: "Next commit" }).boundingBox(),
    ]);
    // The height of one button and the padding.
    expect(folded?.height).toBeLessThan((line?.height ?? 0) * 1.5);
    await bar.getByRole("button", { name: "Show message" }).click();
    await bar.getByText("They were in disorder.").waitFor();
    await bar.getByText("Ada Writer").waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await bar.getByRole("button", { name: "Hide message" }).click();
    await bar.getByRole("button", { name: "All changes" }).click();
    await bar.waitFor({ state: "detached" });
    review.child.kill("SIGTERM");
  });

  it("are stepped through by keys that are pressed before the page knows them", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const context = await newContext(browser);
    await context.route("**/api/commits", async (route) => {
      await released;
      await route.continue();
    });
    const { url } = await startCodeReview(await branchOfTwo());
    const page = await context.newPage();
    const asked = page.waitForRequest("**/api/commits");
    await page.goto(url);
    await asked;
    await page.keyboard.press("}");
    await page.keyboard.press("}");
    release();
    await page.getByRole("region", { name: "Commit" }).getByText("Commit 2 of 2").waitFor();
    expect(await page.getByText("This diff has no commits").count()).toBe(0);
  });

  it("are loaded again by the key after a failure, which is shown", async () => {
    const context = await newContext(browser);
    await context.route("**/api/commits", (route) => route.abort());
    const { url } = await startCodeReview(await branchOfTwo());
    const page = await context.newPage();
    const failed = page.waitForEvent("requestfailed");
    await page.goto(url);
    await failed;
    await page.keyboard.press("}");
    await page.getByText("Cannot load the commits: Can't reach Sallyport").waitFor();
    await context.unroute("**/api/commits");
    await page.keyboard.press("}");
    await page.getByRole("region", { name: "Commit" }).getByText("Commit 1 of 2").waitFor();
  });

  it("are found by words of their message, and any base is compared with any head", async () => {
    const review = await openCodeReview(browser, await branchOfTwo());
    const { page } = review;
    const select = page.getByLabel("What is compared");
    await select.selectOption("another");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox").fill("ANOTHER FILE");
    // The branch has the same title, until the results of the search arrive.
    await dialog.getByRole("option", { name: /^[0-9a-f]{7} Add another file/ }).click();
    await page.locator('.file[data-path="b.txt"]').waitFor();

    await select.selectOption("another");
    await dialog.getByText("Base and head").click();
    await dialog.getByLabel("Base", { exact: true }).fill("main");
    await dialog.getByRole("option").filter({ hasText: "main" }).first().waitFor();
    await dialog.getByLabel("Head", { exact: true }).fill("topic~1");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator(".status-ref").textContent()).toContain("main...topic~1");
    await page.locator('.file[data-path="a.txt"]').waitFor();
    expect(await page.locator(".file").count()).toBe(1);
    review.child.kill("SIGTERM");
  });
});
