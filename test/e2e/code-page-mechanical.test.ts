import { describe, expect, it } from "vitest";
import { launchBrowserForFile } from "../support/browser.ts";
import { openCodeReview } from "../support/code-review-page.ts";
import { testRepository } from "../support/test-repository.ts";

const browser = await launchBrowserForFile();

describe("mechanical changes", () => {
  it("are counted, described and folded by one key", async () => {
    const repository = await testRepository({
      "imports.ts": 'import { a } from "a";\n',
      "real.ts": "let x = 1;\n",
      "spaces.ts": "run( a );\n",
    });
    await repository.write({
      "imports.ts": 'import { b } from "b";\n',
      "real.ts": "let x = 2;\n",
      "spaces.ts": "run(a);\n",
    });
    const { page, child, errors } = await openCodeReview(browser, repository);
    await page.locator(".tree-mechanical", { hasText: "2 of 3 files are mechanical" }).waitFor();
    const section = (path: string) => page.locator(`section[data-path="${path}"]`);
    expect(await section("imports.ts").locator(".badge-mechanical").textContent()).toBe("only imports");
    expect(await section("real.ts").locator(".badge-mechanical").count()).toBe(0);
    await page.keyboard.press("O");
    await expect.poll(() => page.locator(".rows").count()).toBe(1);
    await section("real.ts").locator(".rows").waitFor();
    await page.keyboard.press("O");
    await expect.poll(() => page.locator(".rows").count()).toBe(3);
    expect(errors).toEqual([]);
    child.kill("SIGTERM");
  });
});
