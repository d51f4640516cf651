import { describe, expect, it, onTestFinished } from "vitest";
import { hashBlob } from "../../../src/review/patch/hash-blob.ts";
import { createPatchOrigin, patchFromStream } from "../../../src/review/patch/patch-origin.ts";
import { createPatchSession, type PatchOrigin } from "../../../src/review/patch/patch-session.ts";
import { testRepository } from "../../support/test-repository.ts";

async function* streamOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

function sessionOf(origin: PatchOrigin) {
  const session = createPatchSession(origin);
  onTestFinished(() => session.close());
  return session;
}

describe("a session of a patch", () => {
  it("creates the diff without whitespace changes again after a failure", async () => {
    const input = await patchFromStream(streamOf("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a b\n+a c\n"));
    let isFailing = false;
    const session = sessionOf({
      ...createPatchOrigin({ input, paths: [], root: "/nowhere/shop" }),
      async completable() {
        if (isFailing) throw new Error("git timed out");
        return new Set();
      },
    });
    (await session.current()).release();
    isFailing = true;
    await expect(session.current(true)).rejects.toThrow("git timed out");
    isFailing = false;
    const lease = await session.current(true);
    lease.release();
    expect(lease.snapshot.files).toHaveLength(1);
  });

  it("resolves an abbreviated object name that is unique in the repository, and no ambiguous one", async () => {
    const text = Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`).join("");
    const id = hashBlob(Buffer.from(text));
    let other = 0;
    while (hashBlob(Buffer.from(`${other}\n`)).slice(0, 4) !== id.slice(0, 4)) other += 1;
    const repository = await testRepository({ "a.txt": text, "b.txt": `${other}\n` });
    await repository.write({ "a.txt": text.replace("line 20\n", "line twenty\n") });
    const diff = await repository.git("diff");
    const open = async (name: string) => {
      const input = await patchFromStream(streamOf(diff.replace(/^index [0-9a-f]+/m, `index ${name}`)));
      const found = { root: repository.root, repository: await repository.open() };
      return sessionOf(createPatchOrigin({ input, paths: [], ...found })).current();
    };
    const unique = await open(id.slice(0, 12));
    expect(unique.snapshot.files[0]?.hunksOnly).toBeUndefined();
    expect((await unique.sides.read("a.txt", "old")).toString()).toBe(text);
    unique.release();
    const ambiguous = await open(id.slice(0, 4));
    expect(ambiguous.snapshot.files[0]?.hunksOnly).toBe(true);
    await expect(ambiguous.sides.read("a.txt", "old")).rejects.toThrow(
      "Only the changed parts of a.txt are in this diff",
    );
    ambiguous.release();
  });
});
