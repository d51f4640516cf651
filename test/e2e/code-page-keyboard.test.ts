import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { launchBrowserForFile } from "../support/browser.ts";
import { changedRepository, draftSaved, dragLines, openCodeReview } from "../support/code-review-page.ts";
import { testRepository } from "../support/test-repository.ts";

const browser = await launchBrowserForFile();

it("can be used by keyboard alone, from the first file to the sent feedback", async () => {
  const review = await openCodeReview(browser, await changedRepository());
  const { page } = review;
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const cursor = page.locator(".row-cursor .code.cursor");
  await page.locator(".code-text").first().waitFor();

  await press("n");
  await expect.poll(() => cursor.textContent()).toContain("discount(price)");
  expect(await page.evaluate(() => document.activeElement?.classList.contains("row-cursor"))).toBe(true);
  await press("ArrowLeft");
  await expect.poll(() => cursor.textContent()).toContain("price * 30");
  await press("ArrowRight", "J", "J", "!");
  await page.locator(".comment-open textarea").waitFor();
  await page.keyboard.type("Three lines of worry");
  await press("Control+Enter");
  await expect.poll(() => page.locator(".comment-concern").textContent()).toContain("lines 30-32");

  await press("n", "r");
  await page.locator(".suggestion-code").waitFor();
  await press("Escape", "N");
  await expect.poll(() => page.locator(".comment").count()).toBe(1);
  await press("e");
  await page.locator(".comment-open textarea").waitFor();
  await press("Control+Enter", "m", "]", "o", "[", "t");
  await page.keyboard.type("fresh");
  await expect.poll(() => page.locator(".tree-file").count()).toBe(1);
  await press("Escape");

  await press("?");
  await expect.poll(() => page.getByRole("dialog").textContent()).toContain("Raise a concern");
  await press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await press("Control+k");
  await page.getByRole("combobox", { name: "File or command" }).waitFor();
  await page.keyboard.type("unified");
  await press("Enter");
  await page.locator(".row.unified").first().waitFor();
  await draftSaved(page);

  await press("Control+Shift+Enter");
  const text = page.getByLabel("Feedback in Markdown, exactly as it will be sent");
  await expect.poll(() => text.inputValue()).toContain("Three lines of worry");
  await page.getByRole("dialog").getByRole("button", { name: "Send feedback" }).focus();
  await press("Enter", "Space");
  await page.getByText("Enter and Space do not press this button").waitFor();
  await page.locator("[data-irreversible][aria-disabled=false]").waitFor();
  expect(review.child.exitCode).toBeNull();
  await press("Control+Enter");
  const { stdout } = await review.ended;
  expect(stdout).toContain("Concern on lines 30-32 (new side)");
  expect(review.errors).toEqual([]);
});

it("types into the filter right after its key, also if the tree was closed", async () => {
  const { page, child } = await openCodeReview(browser, await changedRepository());
  await page.locator(".tree-file").first().waitFor();
  const keys = (...names: string[]) =>
    page.evaluate((pressed) => {
      for (const key of pressed)
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      return document.activeElement?.id;
    }, names);
  await keys("b");
  await page.locator(".tree").waitFor({ state: "detached" });
  expect(await keys("t")).toBe("file-filter");
  child.kill();
});

const viewed = (page: Page) =>
  page
    .locator(".tree-file-viewed")
    .evaluateAll((lines) => lines.map((line) => line.getAttribute("title") ?? ""));

it("leaves Enter, Space and arrows to the control that has the focus", async () => {
  const { page, child } = await openCodeReview(browser, await changedRepository());
  const dialog = page.getByRole("dialog");
  for (const key of ["Enter", "Space"]) {
    await page.getByRole("button", { name: "Send feedback" }).focus();
    await page.keyboard.press(key);
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  }
  await page.getByRole("checkbox", { name: "Viewed src/cart.ts" }).focus();
  await page.keyboard.press("Space");
  await expect.poll(() => viewed(page)).toEqual(["src/cart.ts"]);
  await page.keyboard.press("Space");
  await expect.poll(() => viewed(page)).toEqual([]);

  await dragLines(page, "src/cart.ts", "new", 30, 30);
  await page.locator(".comment-open").getByRole("radio", { name: "Comment" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.locator(".suggestion-code").waitFor();
  child.kill("SIGTERM");
});

it("moves to every file by key, also to those that cannot scroll to the top, and marks the current one", async () => {
  const repository = await testRepository({ "readme.md": "x\n" });
  const names = ["a.ts", "b.ts", "c.ts", "d.ts"];
  await repository.write(Object.fromEntries(names.map((name) => [name, `export const ${name[0]} = 1;\n`])));
  const { page, child } = await openCodeReview(browser, repository);
  await page.locator(".code-text").first().waitFor();
  const current = page.locator('.tree-file[aria-current="true"]');
  for (const name of ["b.ts", "c.ts", "d.ts"]) {
    await page.keyboard.press("]");
    await expect.poll(() => current.getAttribute("title")).toBe(name);
  }
  await page.keyboard.press("m");
  await expect.poll(() => viewed(page)).toEqual(["d.ts"]);
  await page.keyboard.press("[");
  await page.keyboard.press("n");
  await expect.poll(() => page.locator(".code.cursor").textContent()).toContain("export const c");
  await page.locator(".tree-file", { hasText: "b.ts" }).click();
  await page.keyboard.press("j");
  await expect.poll(() => page.locator(".code.cursor").textContent()).toContain("export const b");
  child.kill("SIGTERM");
});

it("starts at the visible part, also at the first change, and reports if there is no line to comment on", async () => {
  const text = (first: string) =>
    [first, ...Array.from({ length: 200 }, (_, at) => `line ${at + 2}`), ""].join("\n");
  const repository = await testRepository({ "long.txt": text("old") });
  await repository.write({
    "long.txt": text("new").replace("line 150", "line 150, changed"),
    "z.txt": text("z"),
  });
  const { page, child } = await openCodeReview(browser, repository);
  const cursor = page.locator(".code.cursor");
  await page.locator(".code-text").first().waitFor();
  await page.keyboard.press("h");
  await page.locator(".row.unified").first().waitFor();
  await page.keyboard.press("n");
  await expect.poll(() => cursor.textContent()).toBe("old");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await expect.poll(() => cursor.textContent()).toBe("line 2");
  expect(await cursor.getAttribute("data-side")).toBe("new");

  await page.mouse.move(800, 400);
  await page.mouse.wheel(0, 1_500);
  const scrollTop = () => page.locator("#diff").evaluate((diff) => diff.scrollTop);
  await expect.poll(scrollTop).toBe(1_500);
  await page.locator('section[data-path="long.txt"]').waitFor({ state: "detached" });
  await page.keyboard.press("j");
  await cursor.waitFor();
  expect(await scrollTop()).toBeGreaterThan(1_000);

  await page.reload();
  await page.locator(".review:not(.prerendered) .code-text").first().waitFor();
  await page.keyboard.press("c");
  await page.locator(".toast", { hasText: "Choose a line first" }).waitFor();
  await page.keyboard.press("c");
  await page.locator(".comment-open textarea").waitFor();
  child.kill("SIGTERM");
});

it("keeps the focus where arrow keys choose what is compared", async () => {
  const { page, child } = await openCodeReview(browser, await changedRepository());
  const select = page.getByLabel("What is compared");
  const focused = () => select.evaluate((element) => element === document.activeElement);
  await select.focus();
  await page.keyboard.press("ArrowDown");
  const cart = page.locator('section[data-path="src/cart.ts"]');
  await cart.filter({ hasText: "+60" }).waitFor();
  await page.locator('select[aria-disabled="false"]').waitFor();
  expect(await focused()).toBe(true);
  await page.keyboard.press("ArrowUp");
  await cart.filter({ hasText: "+1" }).waitFor();
  await page.locator('select[aria-disabled="false"]').waitFor();
  expect(await focused()).toBe(true);
  child.kill("SIGTERM");
});
