import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser, type OpenOptions } from "../support/browser.ts";
import { changedRepository, openCodeReview, startCodeReview } from "../support/code-review-page.ts";
import { testRepository } from "../support/test-repository.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

/** The page as it is before any script of it has run. While git is still at work it comes without the diff. */
async function openWithoutScripts(
  url: string,
  drawn = ".first-view",
  options: OpenOptions = {},
): Promise<Page> {
  const { width = 1280, height = 860, theme = "light" } = options;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
  const page = await context.newPage();
  await page.route("**/*.js", (route) => route.abort());
  const isDrawn = async () => {
    await page.goto(url);
    return page.locator(drawn).count();
  };
  await expect.poll(isDrawn, { timeout: 30_000 }).toBeGreaterThan(0);
  return page;
}

/** Where every line of code on screen stands, and what it says. */
const places = (page: Page) =>
  page.$$eval(".row .code-text", (all) =>
    all
      .map((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        return { text: element.textContent?.slice(0, 80), at: [left, top, width, height].map(Math.round) };
      })
      .filter(({ at }) => (at[1] ?? 0) < innerHeight - 40),
  );

describe("the top of the diff", () => {
  it("can be read, in colour, before any script has run", async () => {
    const review = await startCodeReview(await changedRepository());
    const page = await openWithoutScripts(review.url);
    expect(await page.title()).toBe("repo (main): review");
    expect(await page.locator(".added .t-function").first().isVisible()).toBe(true);
    expect(await page.locator(".removed .word").first().isVisible()).toBe(true);
    review.child.kill("SIGTERM");
  });

  it.each(["split", "unified"] as const)("stays where it is when the page takes over, %s", async (layout) => {
    const repository = await changedRepository();
    const first = await openCodeReview(browser, repository);
    await first.page.locator(".row.split").first().waitFor();
    if (layout === "unified") await first.page.keyboard.press("u");
    await first.page.locator(`.row.${layout}`).first().waitFor();
    const drawn = await openWithoutScripts(first.url, `.first-view .row.${layout}`);
    const before = await places(drawn);
    expect(before.length).toBeGreaterThan(10);
    await expect.poll(async () => (await places(first.page)).slice(0, before.length)).toEqual(before);
    first.child.kill("SIGTERM");
  });

  it("is text, whatever the files hold and are called", async () => {
    const repository = await testRepository({ "a.txt": "a\n" });
    await repository.write({
      "<img src=x onerror=alert(1)>.ts": 'const x = "</script><script>alert(2)</script>";\n',
      "<!--first-view-->.ts": "// $& $' <!--first-view-->\n",
    });
    const review = await startCodeReview(repository);
    const page = await openWithoutScripts(review.url);
    expect(await page.locator("main img, main script").count()).toBe(0);
    const text = await page.locator("main").textContent();
    expect(text).toContain('"</script><script>alert(2)</script>"');
    expect(text).toContain("// $& $' <!--first-view-->");
    review.child.kill("SIGTERM");
  });
});
