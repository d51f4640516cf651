import { readdir } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resolveCommit } from "../../src/review/git/refs.ts";
import { hostileRepository } from "../support/hostile-repository.ts";
import { snapshotOf } from "../support/test-repository.ts";

const makeRepository = () => hostileRepository({ "a.txt": "old\n" });

describe("G4 names that look like options", () => {
  it("write no file as branch, default branch, file or diff type", async () => {
    const repository = await makeRepository();
    const target = join(repository.outside, "owned");
    await repository.git("update-ref", `refs/remotes/origin/--output=${target}`, "HEAD");
    await repository.git(
      "symbolic-ref",
      "refs/remotes/origin/HEAD",
      `refs/remotes/origin/--output=${target}`,
    );
    await repository.git("update-ref", "refs/heads/--output=owned", "HEAD");
    await repository.git("symbolic-ref", "HEAD", "refs/heads/--output=owned");
    await repository.write({ "--output=owned.txt": "a\n", "--no-index": "b\n" });
    for (const diffType of ["uncommitted", "branch", "merge-base"]) await snapshotOf(repository, diffType);
    for (const name of [`--output=${target}`, "--output=owned", "HEAD --output=owned", "-h"]) {
      for (const kind of ["base", "commit"]) await snapshotOf(repository, `${kind}:${name}`).catch(() => {});
    }
    expect((await readdir(repository.outside)).filter((name) => name.includes("owned"))).toEqual([]);
    expect((await readdir(repository.root)).filter((name) => name.includes("owned"))).toEqual([
      "--output=owned.txt",
    ]);
  });

  it("are treated as names: such a branch can be compared", async () => {
    const repository = await makeRepository();
    await repository.git("update-ref", "refs/heads/--output=owned", "HEAD");
    const git = await (await repository.open()).git();
    const head = (await repository.git("rev-parse", "HEAD")).trim();
    expect(await resolveCommit(git, "--output=owned")).toBe(head);
  });

  it("are resolved or rejected, never run as options", async () => {
    const repository = await makeRepository();
    const git = await (await repository.open()).git();
    const target = join(repository.outside, "owned");
    const head = (await repository.git("rev-parse", "HEAD")).trim();
    const name = fc.oneof(
      fc.constantFrom(
        "HEAD",
        "main",
        "@",
        "--all",
        "-h",
        "--help",
        "--git-dir",
        "--output",
        `--output=${target}`,
        "--exec-path=/x",
      ),
      fc
        .tuple(fc.constantFrom("--", "-", "", ":", "^", "HEAD "), fc.string({ maxLength: 8 }))
        .map((parts) => parts.join("").replaceAll("\0", "")),
    );
    await fc.assert(
      fc.asyncProperty(name, async (each) => {
        const found = await resolveCommit(git, each);
        expect(found === undefined || found === head).toBe(true);
      }),
      { numRuns: 60 },
    );
    expect((await readdir(repository.outside)).filter((each) => each.includes("owned"))).toEqual([]);
  });
});
