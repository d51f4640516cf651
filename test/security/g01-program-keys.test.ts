import { appendFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runGit } from "../../src/review/git/run-git.ts";
import { DIFF_TYPES, type HostileRepository, hostileRepository } from "../support/hostile-repository.ts";
import { snapshotOf } from "../support/test-repository.ts";

/**
 * Every setting that contains a program, a command line or a folder of programs, according to the documentation of
 * git (Documentation/config, 2.55) or Git LFS. `*` stands for a name of any kind.
 */
const DOCUMENTED = `
alias.* alias.*.command browser.*.cmd browser.*.path core.alternateRefsCommand core.askPass core.editor core.fsmonitor
core.gitProxy core.hooksPath core.pager core.sshCommand credential.helper credential.*.helper diff.external diff.*.command
diff.*.textconv difftool.*.cmd difftool.*.path filter.*.clean filter.*.smudge filter.*.process gc.recentObjectsHook gpg.program
gpg.*.program gpg.ssh.defaultKeyCommand guitool.*.cmd hook.*.command imap.tunnel init.templateDir instaweb.browser
instaweb.httpd interactive.diffFilter lfs.customtransfer.*.path lfs.extension.*.clean lfs.extension.*.smudge man.*.cmd
man.*.path merge.*.driver mergetool.*.cmd mergetool.*.path pager.* remote.*.receivepack remote.*.uploadpack remote.*.vcs
sendemail.smtpServer sendemail.toCmd sendemail.ccCmd sendemail.headerCmd sendemail.sendmailCmd sequence.editor
submodule.*.update tar.*.command trailer.*.command trailer.*.cmd uploadpack.packObjectsHook
`
  .trim()
  .split(/\s+/);

/** Possible names of subsections in a hostile configuration: git accepts anything except a line break and NUL. */
const subsection = fc.oneof(
  fc.constantFrom(
    "",
    ".",
    "..",
    "a.b",
    "a=b",
    " ",
    "clean",
    ".clean",
    '"',
    "\\",
    "#",
    "[x]",
    "ü",
    "\t",
    "x.process",
  ),
  fc.string({ maxLength: 12, unit: "binary" }).map((text) => text.replaceAll(/[\n\r\0]/g, "-")),
);

/** A block of a configuration file. */
function block(section: string, inner: string, name: string, value: string): string {
  const quoted = `"${inner.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
  return `[${section} ${quoted}]\n\t${name} = "${value}"\n`;
}

/** The settings of the repository's scope as git reads them in our environment, each with its last value. */
async function effective(repository: HostileRepository): Promise<Map<string, string>> {
  const git = await (await repository.open()).git();
  const fields = (await runGit(git, ["config", "--list", "-z"])).toString().split("\0");
  return new Map(fields.map((field) => field.split("\n", 2) as [string, string]));
}

async function expectNothingRuns(repository: HostileRepository, trap: string): Promise<void> {
  for (const diffType of DIFF_TYPES) await snapshotOf(repository, diffType);
  expect(await repository.marks()).toEqual([]);
  for (const [key, value] of await effective(repository)) expect([key, value]).not.toEqual([key, trap]);
}

const makeRepository = async () => {
  const repository = await hostileRepository({ "a.txt": "old\n" });
  await repository.write({ "a.txt": "new\n", "fresh.txt": "fresh\n" });
  return { repository, trap: await repository.trap("program", "exec cat") };
};

describe("G1 a setting that names a program", () => {
  const drivers = [...new Set(fc.sample(subsection, 60))];

  it.each(["", ...drivers.filter((name) => /^[^\s"]+$/.test(name)).slice(0, 6)])(
    "is cleared whatever its subsection's name, also for the filter %j",
    async (used) => {
      const { repository, trap } = await makeRepository();
      const configuration = join(repository.root, ".git", "config");
      for (const inner of drivers)
        for (const name of ["clean", "smudge", "process"])
          await appendFile(configuration, block("filter", inner, name, trap));
      await repository.write({ ".gitattributes": `* filter=${used}\n` });
      await expectNothingRuns(repository, trap);
    },
  );

  it("runs with plain git under an empty name", async () => {
    const { repository, trap } = await makeRepository();
    await appendFile(join(repository.root, ".git", "config"), block("filter", "", "clean", trap));
    await repository.write({ ".gitattributes": "* filter=\n" });
    await repository.git("diff", "HEAD").catch(() => {});
    expect(await repository.marks()).toEqual(["program"]);
  });

  it("is cleared, for each such setting in git's documentation", async () => {
    const { repository, trap } = await makeRepository();
    await repository.write({ ".gitattributes": "* diff=x filter=x merge=x\n" });
    const names = [...new Set(["x", "", ...fc.sample(subsection, 8)])];
    let text = "";
    for (const key of DOCUMENTED) {
      const section = key.slice(0, key.indexOf("."));
      const last = key.slice(key.lastIndexOf(".") + 1);
      const inner = key.slice(section.length + 1, Math.max(key.lastIndexOf("."), section.length + 1));
      const variable = last === "*" ? "diff" : last;
      if (inner === "") text += `[${section}]\n\t${variable} = "${trap}"\n`;
      else
        for (const name of names)
          text += block(
            section,
            inner.replace("*", () => name),
            variable,
            trap,
          );
    }
    text += `[hook "x"]\n\tevent = post-index-change\n[hook "x"]\n\tevent = reference-transaction\n`;
    await appendFile(join(repository.root, ".git", "config"), text);
    await expectNothingRuns(repository, trap);
  });

  it("is cleared in included files and in a worktree's configuration", async () => {
    const { repository, trap } = await makeRepository();
    const git = join(repository.root, ".git");
    await repository.write({ ".gitattributes": "* filter=\n" });
    await writeFile(join(repository.root, "more"), block("filter", "", "clean", trap));
    await writeFile(join(git, "config.worktree"), block("filter", "", "process", trap));
    await appendFile(
      join(git, "config"),
      `[include]\n\tpath = ../more\n[includeIf "gitdir:**"]\n\tpath = ../more\n[extensions]\n\tworktreeConfig = true\n`,
    );
    await expectNothingRuns(repository, trap);
  });
});

describe("G1 a git directory inside the content", () => {
  /**
   * A folder that a clone can contain: the files of a bare repository under another name, with a configured work
   * tree.
   */
  const embed = async () => {
    const { repository, trap } = await makeRepository();
    await repository.write({ "docs/x.txt": "x\n", "docs/info/attributes": "* filter=\n" });
    for (const folder of ["objects", "refs"]) await mkdir(join(repository.root, "docs", folder));
    await repository.write({
      "docs/HEAD": "ref: refs/heads/main\n",
      "docs/config": `[core]\n\tbare = false\n\tworktree = .\n${block("filter", "", "clean", trap)}`,
    });
    return repository;
  };

  it("is not used as a repository, from inside it or below", async () => {
    const repository = await embed();
    for (const folder of ["docs", "docs/info"])
      await expect(repository.open(join(repository.root, folder))).rejects.toMatchObject({
        code: "not_a_repository",
      });
    expect(await repository.marks()).toEqual([]);
    expect((await snapshotOf(repository)).paths).toContain("docs/config");
  });

  it("runs no program if a .git file refers to it", async () => {
    const repository = await embed();
    await rm(join(repository.root, ".git"), { recursive: true });
    await repository.write({ ".git": "gitdir: docs\n" });
    await snapshotOf(repository).catch(() => {});
    expect(await repository.marks()).toEqual([]);
  });
});
