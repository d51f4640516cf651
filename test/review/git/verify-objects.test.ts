import { expect, it } from "vitest";
import { verifyObjects } from "../../../src/review/git/verify-objects.ts";
import { testRepository } from "../../support/test-repository.ts";

it("verifyObjects accepts every kind of object, an empty one and one that is missing", async () => {
  const tested = await testRepository({
    "a.txt": "one\n",
    "empty.txt": "",
    "d/b.bin": Buffer.alloc(300_000, 7),
  });
  const git = await (await tested.open()).git();
  const names = ["HEAD", "HEAD^{tree}", "HEAD:a.txt", "HEAD:empty.txt", "HEAD:d/b.bin", "1".repeat(40)];
  await expect(verifyObjects(git, names, "sha1")).resolves.toBeUndefined();
});
