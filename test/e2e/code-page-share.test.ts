import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, openPage } from "../support/browser.ts";
import { numberCell, openCodeReview } from "../support/code-review-page.ts";
import { makeDataDirectory } from "../support/compiled-command.ts";
import { PNG } from "../support/images.ts";
import { savePage } from "../support/save-page.ts";
import { testRepository } from "../support/test-repository.ts";

const browser = await launchBrowserForFile();

describe("a code review in one HTML file", () => {
  it("can be read and commented on without a server, and its comments imported", async () => {
    const repository = await testRepository({ "a.ts": "const a = 1;\n" });
    await repository.write({
      "a.ts": "const a = '</script><script>window.__ran=1</script>';\nconst b = 2;\n",
    });
    const data = join(repository.outside, "data");
    await makeDataDirectory(data);
    const planSave = { enabled: true, customPath: join(repository.outside, "plans") };
    await writeFile(join(data, "settings.json"), JSON.stringify({ planSave }));
    const image = join(repository.outside, "shot.png");
    await writeFile(image, PNG);
    const review = await openCodeReview(browser, repository);
    const { page } = review;
    await numberCell(page, "a.ts", "new", 1).click();
    await page.locator(".comment-open textarea").fill("From me");
    await page.locator(".comment-open input[type=file]").setInputFiles(image);
    await page.locator(".comment-open .thumbnail img").waitFor();
    await page.keyboard.press("Control+Enter");
    const file = await savePage(page, join(repository.outside, "shared.html"));
    const stored = await readFile(file, "utf8");
    for (const path of [repository.root, repository.outside]) expect(stored).not.toContain(path);

    const colleague = await openPage(browser, pathToFileURL(file).href);
    const requests: string[] = [];
    colleague.page.on("request", (request) => requests.push(request.url()));
    await colleague.page.locator(".comment", { hasText: "From me" }).waitFor();
    const shown = colleague.page.locator(".comment .thumbnail img").first();
    expect(await shown.getAttribute("src")).toMatch(/^data:image\/png;base64,/);
    await colleague.page.getByLabel("Your name").fill("Grace");
    await numberCell(colleague.page, "a.ts", "new", 2).click();
    await colleague.page.locator(".comment-open textarea").fill("From a colleague");
    expect(await colleague.page.locator(".comment-open input[type=file]").count()).toBe(0);
    await colleague.page.keyboard.press("Control+Enter");
    const comments = colleague.page.waitForEvent("download");
    await colleague.page.getByRole("button", { name: "Save my comments" }).click();
    const commentsFile = join(repository.outside, "comments.json");
    await (await comments).saveAs(commentsFile);
    expect(await colleague.page.evaluate(() => "__ran" in window)).toBe(false);
    expect(await colleague.page.content()).not.toContain(repository.root);
    expect(requests.filter((url) => !/^(blob|data):/.test(url))).toEqual([]);
    expect(colleague.errors).toEqual([]);

    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Import comments …" }).click();
    await page.getByLabel(/A comments file/).setInputFiles(commentsFile);
    await page.getByRole("button", { name: "Add 1 comment" }).click();
    const imported = page.locator(".comment", { hasText: "From a colleague" });
    await imported.waitFor();
    expect(await imported.textContent()).toContain("Grace");
    review.child.kill("SIGTERM");
  });
});
