import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DiffIndex } from "../../src/review/api-types.ts";
import { launchBrowserForFile, openPage } from "../support/browser.ts";
import { numberCell, openCodeReview } from "../support/code-review-page.ts";
import { sandbox, startCommand } from "../support/spawned-command.ts";
import { testRepository } from "../support/test-repository.ts";

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

describe("conflicts that jj has stored in a commit", () => {
  it("are named for jj's own diff", async () => {
    const header = "diff --git a/file b/file\nindex 94c99a3280..0000000000 100644\n--- a/file\n+++ b/file\n";
    const markers = [
      "<<<<<<< conflict 1 of 1",
      '+++++++ zsuskuln 713a980c "left"',
      "left",
      ">>>>>>> conflict 1 of 1 ends",
    ];
    const stdin = `${header}@@ -2,2 +2,5 @@\n line 2\n-line 3\n${markers.map((line) => `+${line}\n`).join("")}`;
    const command = await startCommand(["review", "code", "--patch", "-", "--no-open"], { stdin });
    const { page, errors } = await openPage(browser, await command.url());
    const notice = page.getByRole("status").filter({ hasText: "1 file has unresolved conflicts" });
    await notice.getByText("file", { exact: true }).waitFor();
    await page.locator('.file[data-path="file"] .badge', { hasText: "unresolved conflict" }).waitFor();
    await numberCell(page, "file", "new", 5).click();
    await page.locator(".comment-open textarea").fill("Resolve this first.");
    await page.keyboard.press("Control+Enter");
    await page.keyboard.press("Control+Shift+Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Send feedback" }).click();
    expect((await command.ended).stdout).toContain("Resolve this first.");
    expect(errors).toEqual([]);
  });

  it("are named in git's view of them, whose folders are folded", async () => {
    const repository = await testRepository({ "a.txt": "base\n" });
    const stored = [".jjconflict-base-0/a.txt", ".jjconflict-side-0/a.txt", ".jjconflict-side-1/a.txt"];
    await repository.write({
      "a.txt": "left\n",
      "JJ-CONFLICT-README": "This commit was made by jj, https://jj-vcs.dev/.\n",
      ...Object.fromEntries(stored.map((path) => [path, `${path}\n`])),
    });
    const { page, child, errors } = await openCodeReview(browser, repository);
    await page
      .getByRole("status")
      .filter({ hasText: "This version has unresolved conflicts that jj has stored" })
      .waitFor();
    await page.locator('.file[data-path="a.txt"] .row').getByText("left").waitFor();
    for (const path of stored) {
      const file = page.locator(`.file[data-path="${path}"]`);
      await file.locator(".badge", { hasText: "generated" }).waitFor();
      expect(await file.locator(".row .num").count()).toBe(0);
    }
    expect(errors).toEqual([]);
    child.kill("SIGTERM");
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
