import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, newContext, type OpenOptions, openPage } from "../support/browser.ts";
import { changedRepository, openCodeReview, startCodeReview } from "../support/code-review-page.ts";
import { type TestRepository, testRepository } from "../support/test-repository.ts";

const browser = await launchBrowserForFile();

/**
 * Returns the page as it is before any of its scripts has run. While git is running, it does not contain the diff.
 */
async function openWithoutScripts(
  url: string,
  drawn = ".prerendered",
  options: OpenOptions = {},
): Promise<Page> {
  const { width = 1280, height = 860, theme = "light" } = options;
  const context = await newContext(browser, { viewport: { width, height }, colorScheme: theme });
  const page = await context.newPage();
  await page.route("**/*.js", (route) => route.abort());
  const isDrawn = async () => {
    await page.goto(url);
    return page.locator(drawn).count();
  };
  await expect.poll(isDrawn).toBeGreaterThan(0);
  return page;
}

/**
 * Returns the position and text of every visible line of code, with the height of lines that end on the screen: the
 * page may reserve a row more for a line of thousands of characters than the browser needs in some fonts.
 */
const linePositions = (page: Page) =>
  page.$$eval(".row .code-text", (all) =>
    all
      .map((element) => {
        const { left, top, width, height, bottom } = element.getBoundingClientRect();
        const at = [left, top, width, bottom < innerHeight ? height : 0].map(Math.round);
        return { text: element.textContent?.slice(0, 80), at };
      })
      .filter(({ at }) => (at[1] ?? 0) < innerHeight - 40),
  );

/** A PATH whose git withholds the patch of a whole diff until the file `go` exists. */
async function pathOfSlowGit({ outside, environment }: TestRepository): Promise<string> {
  const real = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
  const folder = join(outside, "bin");
  await mkdir(folder);
  const script = `#!/bin/sh
case " $* " in
  *" --ita-invisible-in-index "*) ;;
  *" --patch "*" -- ") until [ -e '${join(outside, "go")}' ]; do sleep 0.05; done ;;
esac
exec '${real}' "$@"
`;
  await writeFile(join(folder, "git"), script, { mode: 0o755 });
  return `${folder}:${environment["PATH"]}`;
}

/** Forty changed files with a long one on top, and one that git does not track. */
async function manyChangedFiles(): Promise<TestRepository> {
  const names = Array.from({ length: 40 }, (_, index) => `src/part/file${index + 10}.ts`);
  const written = (text: string) =>
    Object.fromEntries(names.map((name, index) => [name, `${text}\n`.repeat(index === 0 ? 100 : 1)]));
  const repository = await testRepository(written("export const before = one();"));
  await repository.write({
    ...written("export const after = two();"),
    "src/part/a-fresh-one.ts": "export {};\n",
  });
  return repository;
}

describe("the top of the diff", () => {
  it.each([1280, 360])(
    "says that files are being compared while git is at work, at %i pixels",
    async (width) => {
      const review = await startCodeReview(await changedRepository());
      const page = await openWithoutScripts(review.url, ".prerendered", { width });
      await page.getByText("Comparing files …").waitFor();
      review.child.kill("SIGTERM");
    },
  );

  it("can be read, with colors, before any script has run", async () => {
    const review = await startCodeReview(await changedRepository());
    const page = await openWithoutScripts(review.url);
    expect(await page.title()).toBe("repo (main): review");
    expect(await page.locator(".added .t-function").first().isVisible()).toBe(true);
    expect(await page.locator(".removed .word").first().isVisible()).toBe(true);
    review.child.kill("SIGTERM");
  });

  it.each(["split", "unified"] as const)("does not move when the page takes over, %s", async (layout) => {
    const repository = await changedRepository();
    const first = await openCodeReview(browser, repository);
    await first.page.locator(".row.split").first().waitFor();
    if (layout === "unified") await first.page.keyboard.press("h");
    await first.page.locator(`.row.${layout}`).first().waitFor();
    const drawn = await openWithoutScripts(first.url, `.prerendered .row.${layout}`);
    const before = await linePositions(drawn);
    expect(before.length).toBeGreaterThan(10);
    await expect.poll(async () => (await linePositions(first.page)).slice(0, before.length)).toEqual(before);
    first.child.kill("SIGTERM");
  });

  it("is text, whatever the files contain and are named", async () => {
    const repository = await testRepository({ "a.txt": "a\n" });
    await repository.write({
      "<img src=x onerror=alert(1)>.ts": 'const x = "</script><script>alert(2)</script>";\n',
      "<!--prerendered-->.ts": "// $& $' <!--prerendered-->\n",
    });
    const review = await startCodeReview(repository);
    const page = await openWithoutScripts(review.url);
    expect(await page.locator("main img, main script").count()).toBe(0);
    const text = await page.locator("main").textContent();
    expect(text).toContain('"</script><script>alert(2)</script>"');
    expect(text).toContain("// $& $' <!--prerendered-->");
    review.child.kill("SIGTERM");
  });

  it("can be read while git still compares the rest, and does not move", async () => {
    const repository = await manyChangedFiles();
    const environment = { PATH: await pathOfSlowGit(repository) };
    const review = await startCodeReview(repository, { environment });
    const drawn = await openWithoutScripts(review.url);
    const before = await linePositions(drawn);
    expect(before.length).toBeGreaterThan(10);
    expect(await drawn.title()).toBe("repo (main): review");
    expect(await drawn.locator(".file-name").first().textContent()).toBe("a-fresh-one.ts");
    expect(await drawn.locator(".added .t-function").first().isVisible()).toBe(true);

    const { page, errors } = await openPage(browser, review.url);
    await page.locator(".prerendered .row .t-function").first().waitFor();
    expect(await page.locator(".review:not(.prerendered)").count()).toBe(0);
    await writeFile(join(repository.outside, "go"), "");
    await page.locator(".review:not(.prerendered) .row").first().waitFor();
    await expect.poll(async () => (await linePositions(page)).slice(0, before.length)).toEqual(before);
    expect(errors).toEqual([]);
    review.child.kill("SIGTERM");
  });
});
