import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { intentToAddIndex } from "../../../src/review/git/intent-index.ts";
import { testRepository } from "../../support/test-repository.ts";

describe("intentToAddIndex", () => {
  it.each(["sha1", "sha256"] as const)(
    "is read by git as it stands, in a repository of %s",
    async (format) => {
      const repository = await testRepository({}, [`--object-format=${format}`]);
      const names = ["b", "a", "a b/c", "größe", "x".repeat(255), `${"long/".repeat(900)}name`, "a.b", "a-b"];
      const index = join(repository.outside, "index");
      const bytes = names.map((name) => Buffer.from(name));
      await writeFile(index, intentToAddIndex([...bytes, Buffer.from([0x6e, 0xe9])], format));
      const listed = execFileSync("git", ["ls-files", "--stage", "-z"], {
        cwd: repository.root,
        env: { ...repository.environment, GIT_INDEX_FILE: index },
        encoding: "latin1",
      });
      const expected = [...bytes.map((name) => name.toString("latin1")), "n\xe9"].sort();
      expect(
        listed
          .split("\0")
          .filter(Boolean)
          .map((line) => line.split("\t")[1]),
      ).toEqual(expected);
      expect(listed).toMatch(format === "sha1" ? /^100644 0{40} 0\t/ : /^100644 0{64} 0\t/);
    },
  );
});
