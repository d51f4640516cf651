import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DiffIndex } from "../../src/review/api-types.ts";
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

  describe("with several folders", () => {
    async function start(...args: readonly string[]) {
      const folder = await sandbox();
      for (const name of ["project/a", "project/b", "project/c/a", "elsewhere"]) {
        await mkdir(join(folder, name), { recursive: true });
        await writeFile(join(folder, name, "x.txt"), `${name}\n`);
      }
      return startCommand(["review", "files", ...args, "--no-open"], { folder });
    }

    it.each([
      ["a b --against b", "Cannot compare b with itself", "Leave b out of the paths"],
      ["a --against a", "Cannot compare a with itself", "Leave a out of the paths"],
      ["a b --against .", "Cannot compare a with itself: it is in .", "Name another folder"],
      ["a --against .", "Cannot compare a with ., which contains it", "Name another folder"],
      ["b a/x.txt --against elsewhere", "No such file or folder: elsewhere", "working directory"],
      ["b a/x.txt --against ../elsewhere", "Found nothing in ../elsewhere", "for example ../elsewhere/b"],
      ["a ../elsewhere --against c", "Cannot find ../elsewhere in c", "Run the command in the folder"],
      ["a  --against c", 'No such file or folder: ""', "Check the spelling"],
      ["a b --against c/a/x.txt", "Cannot compare a, b with the file c/a/x.txt", "Name one file"],
    ])("rejects %s", async (args, message, hint) => {
      const { code, stderr } = await (await start(...args.split(" "))).ended;
      expect(code).toBe(2);
      expect(stderr).toContain(message);
      expect(stderr).toContain(hint);
    });

    it("shows a folder without a counterpart as new, and keeps comments for the same files", async () => {
      const command = await start("a", "b", "--against", "c");
      const response = await fetch(`${await command.url()}/api/diff/index`);
      const { files } = (await response.json()) as DiffIndex;
      expect(files.map(({ path, status }) => `${status} ${path}`)).toEqual([
        "modified a/x.txt",
        "added b/x.txt",
      ]);
      command.child.kill("SIGINT");
      const { code, stderr } = await command.ended;
      expect(code).toBe(130);
      expect(stderr).toContain("Comments are kept for the next review of the same files.");
    });
  });
});
