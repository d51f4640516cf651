import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pathWithin } from "../../../src/cli/review/code.ts";
import { expectPaths } from "../../../src/cli/review/expect-paths.ts";
import { type TestRepository, testRepository } from "../../support/test-repository.ts";

async function expectIn(tested: TestRepository, ...paths: string[]): Promise<void> {
  const repository = await tested.open();
  const toInner = (given: string) => pathWithin(repository.root, tested.root, given);
  const given = paths.map((path) => ({ given: path, inner: toInner(path) }));
  await expectPaths(repository, given, toInner, new AbortController().signal);
}

describe("the paths a code review is limited to", () => {
  it("may exist in the working tree, the index or HEAD only", async () => {
    const tested = await testRepository({ "head.txt": "h\n", "gone/x.txt": "x\n", "two words.txt": "2\n" });
    await tested.write({ "new.txt": "n\n", "staged.txt": "s\n" });
    await tested.git("add", "staged.txt");
    await tested.git("rm", "--quiet", "head.txt");
    await rm(join(tested.root, "staged.txt"));
    await rm(join(tested.root, "gone"), { recursive: true });
    await expectIn(tested, ".", "new.txt", "staged.txt", "head.txt", "gone", "gone/x.txt", "two words.txt");
    await expectIn(await testRepository(), ".");
  });

  it("are named with the remedy if they do not exist", async () => {
    const tested = await testRepository({ "src/a.txt": "a\n", "docs/b.txt": "b\n" });
    for (const path of ["nonexist", "src/*.txt", "src nonexist", "src ../../x"])
      await expect(expectIn(tested, "src", path)).rejects.toMatchObject({
        code: "usage",
        exitCode: 2,
        message: expect.stringContaining(JSON.stringify(path)),
        hint: expect.stringContaining("Check the spelling"),
      });
    await expect(expectIn(await testRepository(), "nonexist")).rejects.toMatchObject({ code: "usage" });
  });

  it("are recognized if one argument contains several that exist", async () => {
    const tested = await testRepository({ "src/a.txt": "a\n", "docs/b.txt": "b\n" });
    await rm(join(tested.root, "docs"), { recursive: true });
    await expect(expectIn(tested, "src docs")).rejects.toMatchObject({
      code: "usage",
      hint: expect.stringContaining("Pass each as a separate argument: sallyport review code src docs"),
    });
  });
});
