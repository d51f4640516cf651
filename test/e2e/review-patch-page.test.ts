import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, openPage } from "../support/browser.ts";
import { numberCell } from "../support/code-review-page.ts";
import { sandbox, startCommand } from "../support/spawned-command.ts";

const browser = await launchBrowserForFile();

const PATCH = `--- a/src/door.js
+++ b/src/door.js
@@ -10,3 +10,4 @@ function door() {
   const hinge = 2;
-  return open();
+  const lock = 1;
+  return open(lock);
 }
`;

describe("sallyport review code --patch", () => {
  it("shows a patch from stdin, reports what it does not contain, and prints the feedback", async () => {
    const command = await startCommand(["review", "code", "--patch", "-", "--no-open"], { stdin: PATCH });
    const { page, errors } = await openPage(browser, await command.url());
    await page.getByText("9 unchanged lines are not in the patch").waitFor();
    expect(await page.getByRole("button", { name: /unchanged lines/ }).count()).toBe(0);
    await numberCell(page, "src/door.js", "new", 11).click();
    await page.locator(".comment-open textarea").fill("Why a lock?");
    await page.keyboard.press("Control+Enter");
    await page.keyboard.press("Control+Shift+Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Send feedback" }).click();
    const { code, stdout } = await command.ended;
    expect(code).toBe(0);
    expect(stdout).toContain("Why a lock?");
    expect(stdout).toContain("const lock = 1;");
    expect(errors).toEqual([]);
  });
});

describe("sallyport review files", () => {
  it("compares two folders without git", async () => {
    const folder = await sandbox();
    const project = join(folder, "project");
    for (const [name, text] of [
      ["old", "one\ntwo\n"],
      ["new", "one\n2\n"],
    ] as const) {
      await mkdir(join(project, name));
      await writeFile(join(project, name, "a.txt"), text);
    }
    const command = await startCommand(["review", "files", "new", "--against", "old", "--no-open"], {
      folder,
    });
    const { page, errors } = await openPage(browser, await command.url());
    await page.locator('.file[data-path="new/a.txt"]').getByText("2", { exact: true }).first().waitFor();
    await page.keyboard.press("a");
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    expect((await command.ended).stdout).toContain("approved");
    expect(errors).toEqual([]);
  });
});
