import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isGeneratedName } from "../../../src/review/git/attributes.ts";
import {
  disarmPrograms,
  gitEnvironment,
  isHardened,
  readSettings,
} from "../../../src/review/git/hardening.ts";
import { quoteName, unquoteName } from "../../../src/review/git/quoted-name.ts";
import { readSectionHeader } from "../../../src/review/git/section-header.ts";
import { testRepository } from "../../support/test-repository.ts";

const quote = (name: string) => quoteName(Buffer.from(name));

describe("quoteName", () => {
  it("quotes as git does", async () => {
    const names = [
      "plain b",
      "größe",
      'a"b',
      "tab\t",
      "line\nbreak",
      "back\\slash",
      "bell\x07",
      "del\x7f",
      "😀",
    ];
    const repository = await testRepository();
    await repository.write(Object.fromEntries(names.map((name) => [name, ""])));
    const listed = (await repository.git("ls-files", "--others")).split("\n").filter(Boolean);
    expect(listed.sort()).toEqual(names.map(quote).sort());
  });
});

describe("unquoteName", () => {
  it("reverts git's quoting of any name", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (name) => {
        expect(unquoteName(quote(name))).toBe(name);
      }),
    );
  });
});

describe("readSectionHeader", () => {
  it("finds the one name in a header without hunks, even if it contains ` b/`", () => {
    for (const name of ["a.txt", "x b/y", "x b/x b/x", "größe", 'q"q', "tab\t"]) {
      const header = `diff --git ${quote(`a/${name}`)} ${quote(`b/${name}`)}\nold mode 100644\nnew mode 100755\n`;
      expect(readSectionHeader(header)).toMatchObject({ path: name, status: "modified", oldMode: "100644" });
    }
  });

  it("returns both names of a rename", () => {
    const header =
      'diff --git a/a b/c "b/\\303\\274"\nsimilarity index 90%\nrename from a b/c\nrename to "\\303\\274"\nindex 1a..2b 100644\n';
    expect(readSectionHeader(header)).toMatchObject({
      path: "ü",
      oldPath: "a b/c",
      status: "renamed",
      oldBlob: "1a",
    });
  });
});

describe("disarmPrograms", () => {
  const listing = (...entries: [scope: string, key: string, value: string][]) =>
    entries.map(([scope, key, value]) => `${scope}\0${key}\n${value}\0`).join("");

  it("resets what the repository sets to the user's value, or to none", () => {
    const settings = disarmPrograms(
      readSettings(
        listing(
          ["global", "filter.lfs.process", "git-lfs filter-process"],
          ["global", "filter.lfs.clean", "git-lfs clean -- %f"],
          ["local", "filter.lfs.process", "evil"],
          ["worktree", "filter.A=b.c.Smudge".toLowerCase(), "evil"],
          ["local", "filter.x.required", "true"],
          ["local", "core.fsmonitor", "evil"],
          ["local", "filter..clean", "evil"],
          ["local", "user.name", "Ada"],
        ),
      ),
    );
    expect(settings).toEqual([
      { key: "filter.lfs.process", value: "git-lfs filter-process" },
      { key: "filter.a=b.c.smudge", value: "" },
      { key: "filter.x.required", value: "false" },
      { key: "filter..clean", value: "" },
    ]);
  });
});

describe("isHardened", () => {
  it("detects a git that does not read settings from the environment", async () => {
    const repository = await testRepository({ "a.txt": "a\n" });
    const args = ["config", "--list", "--show-scope", "-z"];
    const { environment } = await (await repository.open()).git();
    const list = (env: Readonly<Record<string, string>>) =>
      execFileSync("git", args, { cwd: repository.root, env, encoding: "utf8" });
    expect(isHardened(list(environment))).toBe(true);
    expect(isHardened(list({ ...environment, GIT_CONFIG_COUNT: "0" }))).toBe(false);
  });
});

describe("gitEnvironment", () => {
  it("passes git only the listed variables", () => {
    const names = Object.keys(
      gitEnvironment(
        {
          HOME: "/home/ada",
          GIT_DIR: "/evil",
          GIT_EXTERNAL_DIFF: "/evil",
          GIT_CONFIG_PARAMETERS: "'core.fsmonitor=/evil'",
          EDITOR: "vi",
          LD_PRELOAD: "/evil",
          ANTHROPIC_API_KEY: "secret",
        },
        "/usr/bin",
      ),
    );
    expect(names).toContain("HOME");
    for (const name of ["GIT_DIR", "GIT_EXTERNAL_DIFF", "GIT_CONFIG_PARAMETERS", "EDITOR", "LD_PRELOAD"]) {
      expect(names).not.toContain(name);
    }
    expect(names).not.toContain("ANTHROPIC_API_KEY");
  });
});

describe("isGeneratedName", () => {
  it.each(["package-lock.json", "a/yarn.lock", "Cargo.lock", "go.sum", "x.min.js", "x.js.map", "a.pb.go"])(
    "knows %s",
    (path) => expect(isGeneratedName(path)).toBe(true),
  );
  it.each(["package.json", "lock.json", "src/minify.js", "generated.ts", "map.js"])(
    "returns false for %s",
    (path) => expect(isGeneratedName(path)).toBe(false),
  );
});
