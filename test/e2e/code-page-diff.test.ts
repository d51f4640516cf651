import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile } from "../support/browser.ts";
import { changedRepository, numberCell, openCodeReview } from "../support/code-review-page.ts";
import { testRepository } from "../support/test-repository.ts";

const browser = await launchBrowserForFile();

const section = (page: Page, path: string) => page.locator(`section[data-path="${path}"]`);

/**
 * Returns the width of the window, and the pixels between the end of a file's last row and the end of its reserved
 * space.
 */
const fitOf = (page: Page, path: string) =>
  section(page, path).evaluate((file) => {
    const end = (element: Element | null) => Math.round(element?.getBoundingClientRect().bottom ?? 0);
    return { width: innerWidth, leftOver: end(file) - end(file.querySelector(".rows")) };
  });

describe("the diff", () => {
  it("shows every kind of change with a description or its lines", async () => {
    const { page, child, errors } = await openCodeReview(browser, await changedRepository(), {
      height: 2_400,
    });
    const textOf = (path: string) => section(page, path).textContent();
    await expect.poll(() => textOf("src/new-name.ts")).toContain("Renamed from src/old-name.ts");
    await expect.poll(() => textOf("pixel.png")).toContain("A binary file was changed");
    await expect
      .poll(() => section(page, "pixel.png").locator("img").last().getAttribute("src"))
      .toContain("pixel.png");
    await expect.poll(() => textOf("notes.md")).toContain("New words, <b>not bold</b>.");
    await expect.poll(() => textOf("src/long.ts")).toContain("show 3,023 more characters");
    await section(page, "src/long.ts").getByRole("button", { name: "more characters" }).click();
    await expect.poll(async () => ((await textOf("src/long.ts")) ?? "").length).toBeGreaterThan(5_000);
    expect(await section(page, "package-lock.json").locator(".row").count()).toBe(0);
    await section(page, "package-lock.json").getByRole("button", { name: "Unfold" }).click();
    await expect.poll(() => textOf("package-lock.json")).toContain('"a": 2');
    const changedTexts = section(page, "src/cart.ts").locator(".removed .word");
    await expect.poll(async () => (await changedTexts.allInnerTexts()).join("")).toContain("* 30");
    await section(page, "src/cart.ts").locator(".t-keyword").first().waitFor();
    expect(errors).toEqual([]);
    child.kill("SIGTERM");
  });

  it("shows context lines and both layouts, and hides whitespace changes through git", async () => {
    const { page, child } = await openCodeReview(browser, await changedRepository(), { height: 1_600 });
    const cart = section(page, "src/cart.ts");
    await cart.getByRole("button", { name: "Show 20 lines above" }).first().click();
    await numberCell(page, "src/cart.ts", "old", 7).waitFor();
    await cart.getByRole("button", { name: "Show all lines" }).click();
    await numberCell(page, "src/cart.ts", "new", 1).waitFor();
    await expect.poll(() => cart.locator(".gap-row").count()).toBe(0);

    await page.keyboard.press("h");
    await cart.locator(".row.unified").first().waitFor();
    await page.keyboard.press("w");
    await expect.poll(() => section(page, "src/spaces.ts").count()).toBe(0);
    await page.keyboard.press("w");
    await section(page, "src/spaces.ts").waitFor();
    child.kill("SIGTERM");
  });

  it("wraps lines exactly as estimated, at any window width", async () => {
    const repository = await testRepository({ "a.ts": "a\n" });
    const lines = Array.from({ length: 60 }, (_, count) => `call(${"x, ".repeat(count)}"size");`);
    await repository.write({ "a.ts": `${lines.join("\n")}\n` });
    const { page, child } = await openCodeReview(browser, repository, { height: 6_000 });
    await numberCell(page, "a.ts", "new", 60).waitFor();
    for (const width of [1_280, 1_003, 777]) {
      await page.setViewportSize({ width, height: 6_000 });
      await expect.poll(() => fitOf(page, "a.ts")).toEqual({ width, leftOver: 0 });
    }
    await page.keyboard.press("h");
    await page.locator(".row.unified").first().waitFor();
    for (const width of [777, 401, 360]) {
      await page.setViewportSize({ width, height: 6_000 });
      await expect.poll(() => fitOf(page, "a.ts")).toEqual({ width, leftOver: 0 });
    }
    child.kill("SIGTERM");
  });

  it("gives room to lines whose width only the browser knows, and to very long ones shown completely", async () => {
    const texts = [
      "折り返しの幅を確かめる文章です。",
      "👩‍👩‍👧‍👦👍🏽",
      "עברית עם מילים",
      "e\u0301a\u0308",
      "plain words ",
    ];
    const odd = (at: number) => `${at} ${(texts[at % texts.length] ?? "").repeat(at % 17)}`;
    const minified = (name: string) => `var ${name}=1;${"f(x);".repeat(60_000)}`;
    const lines = Array.from({ length: 70 }, (_, at) => odd(at));
    lines[5] = minified("between");
    const repository = await testRepository({ "odd.md": `${lines.join("\n")}\n` });
    const changed = lines.map((line, at) => (at % 20 === 15 ? `${line}変` : line));
    changed[36] = minified("within");
    await repository.write({ "odd.md": changed.join("\n") });
    const { page, child, errors } = await openCodeReview(browser, repository, { height: 9_000 });
    const odds = section(page, "odd.md");
    await odds.getByText("No newline at end of file").waitFor();
    await odds.getByRole("button", { name: "Show all lines" }).click();
    await numberCell(page, "odd.md", "new", 1).waitFor();
    for (const width of [1_280, 1_003, 777, 1_280]) {
      await page.setViewportSize({ width, height: 9_000 });
      await expect.poll(() => fitOf(page, "odd.md")).toEqual({ width, leftOver: 0 });
    }
    // The line between the hunks is on both sides.
    const more = odds.getByRole("button", { name: "more characters" });
    await expect.poll(() => more.count()).toBe(3);
    const others = () =>
      odds.evaluate((file) => {
        const row = [...file.querySelectorAll<HTMLElement>(".row")].find((each) =>
          each.textContent?.includes("var between"),
        );
        return file.clientHeight - (row?.offsetHeight ?? 0);
      });
    const before = await others();
    await more.first().click();
    await expect.poll(() => more.count()).toBe(0);
    await expect.poll(others).toBe(before);
    expect(errors).toEqual([]);
    child.kill("SIGTERM");
  });

  it("keeps a file marked as viewed while its change is the same", async () => {
    const repository = await changedRepository();
    const { page, child } = await openCodeReview(browser, repository, { height: 2_400 });
    await page.getByLabel("Viewed notes.md").check();
    await page.getByLabel("Viewed src/cart.ts").check();
    await page.locator(".status-line", { hasText: "Draft saved" }).waitFor();
    await repository.write({ "notes.md": "# Notes\n\nOther words.\n" });
    await page.keyboard.press("R");
    await expect.poll(() => page.locator(".tree-viewed").textContent()).toBe("1/8 viewed");
    expect(await page.getByLabel("Viewed src/cart.ts").isChecked()).toBe(true);
    child.kill("SIGTERM");
  });

  it("highlights without WebAssembly too", async () => {
    const review = await openCodeReview(browser, await changedRepository());
    await review.page.addInitScript(() => {
      Object.defineProperty(globalThis, "WebAssembly", { value: undefined });
    });
    await review.page.reload();
    await section(review.page, "src/cart.ts").locator(".t-keyword").first().waitFor();
    expect(review.errors).toEqual([]);
    review.child.kill("SIGTERM");
  });

  it("renders few rows for a large diff, and finds text that is not on screen", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 200 }, (_, file) => [
        `src/part${file % 9}/file${file}.ts`,
        Array.from({ length: 120 }, (_, line) => `export const v${line} = ${file};`).join("\n"),
      ]),
    );
    const repository = await testRepository({ "readme.md": "hello\n" });
    await repository.write({
      ...files,
      "src/part8/file197.ts": `${files["src/part8/file197.ts"]}\nconst needle = 1;\n`,
    });
    const { page, child, errors } = await openCodeReview(browser, repository);
    await page.locator(".code-text").first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("NEEDLE");
    await expect.poll(() => page.locator(".find-count").textContent()).toBe("– of 1");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator(".found-current").textContent()).toBe("needle");
    await page.getByLabel("Match case").click();
    await expect.poll(() => page.locator(".find-count").textContent()).toBe("Nothing found");
    await page.getByLabel("Match case").click();
    await page.getByLabel("Close the search").click();
    await page.keyboard.press("/");
    await expect.poll(() => page.locator(".find-count").textContent()).toBe("– of 1");
    await page.getByLabel("What is compared").selectOption("last-commit");
    await expect.poll(() => page.locator(".find-count").textContent()).toBe("Nothing found");
    await page.getByLabel("What is compared").selectOption("uncommitted");
    await expect.poll(() => page.locator(".find-count").textContent()).toBe("– of 1");
    await page.getByLabel("Close the search").click();
    await page.locator("#diff").focus();
    await page.keyboard.press("End");
    await section(page, "readme.md").or(page.locator(".file").last()).first().waitFor();
    await page.keyboard.press("Home");
    await expect.poll(() => page.locator(".diff").evaluate((element) => element.scrollTop)).toBe(0);
    expect(await page.locator("*").count()).toBeLessThan(6_000);
    expect(errors).toEqual([]);
    child.kill("SIGTERM");
  });

  it("shows its lines at once after a jump, also with reduced motion", async () => {
    const repository = await testRepository({ "a.txt": "a\n" });
    await repository.write({ "a.txt": Array.from({ length: 500 }, (_, line) => `line ${line}\n`).join("") });
    const { page, child } = await openCodeReview(browser, repository);
    await numberCell(page, "a.txt", "new", 1).waitFor();
    const line = await page.locator("#diff").evaluate(
      (scroller) =>
        new Promise<string | undefined>((resolve) => {
          scroller.addEventListener("scroll", () => {
            const { left, top } = scroller.getBoundingClientRect();
            const row = document.elementFromPoint(left + 100, top + 110)?.closest(".row");
            resolve(row?.querySelector<HTMLElement>(".num[data-side=new]")?.dataset["line"]);
          });
          scroller.scrollTop = 4_000;
        }),
    );
    // The file's header is 44 pixels high and each line 20.
    expect(Number(line)).toBe(1 + Math.floor((4_000 + 110 - 44) / 20));
    child.kill("SIGTERM");
  });

  it("shows the paths of the review if nothing in them has changed", async () => {
    const repository = await testRepository({ "a.txt": "a\n", "unchanged.txt": "b\n" });
    await repository.write({ "a.txt": "b\n" });
    const { page, child } = await openCodeReview(browser, repository, { flags: ["unchanged.txt"] });
    await page.getByRole("heading", { name: "No changes here" }).waitFor();
    expect(await page.locator("#diff").textContent()).toContain("unchanged.txt");
    child.kill("SIGTERM");
  });

  it("states why the diff is empty, and offers the other diffs", async () => {
    const { page, child } = await openCodeReview(browser, await testRepository({ "a.txt": "a\n" }));
    await page.getByRole("heading", { name: "No changes here" }).waitFor();
    expect(await page.getByText("No file matches").count()).toBe(0);
    await page.getByRole("button", { name: "Last commit" }).click();
    await numberCell(page, "a.txt", "new", 1).waitFor();
    child.kill("SIGTERM");
  });
});
