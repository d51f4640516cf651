import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmod,
  lstat,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDiffSession } from "../../src/review/git/diff-session.ts";
import { type TestRepository, testRepository } from "../support/test-repository.ts";

const FILES = {
  "a.js": "good();\n",
  "b.sh": "#!/bin/sh\ngood\n",
  "Case.txt": "case\n",
  "crlf.txt": "one\ntwo\n",
  "dir/c.js": "good();\n",
  "dir/deep/d.js": "good();\n",
  "same.js": "same\n",
  "bin.dat": Buffer.from([0, 1, 2, 3]),
  ".gitattributes": "* -text\n",
};

type Act = (repository: TestRepository) => Promise<unknown>;

const put =
  (path: string, text: string | Buffer): Act =>
  async ({ write }) =>
    write({ [path]: text });
const config =
  (...args: string[]): Act =>
  ({ git }) =>
    git("config", ...args);

/** Changes that a reviewer has to see. */
const CHANGES: Record<string, Act> = {
  edit: put("a.js", "evil();\n"),
  "edit same size": put("a.js", "evil();\n".replace("evil", "bad_")),
  chmod: ({ root }) => chmod(join(root, "b.sh"), 0o755),
  crlf: put("crlf.txt", "one\r\ntwo\r\n"),
  "crlf one": put("crlf.txt", "one\r\ntwo\n"),
  space: put("same.js", "same \n"),
  "no eol": put("same.js", "same"),
  bom: put("same.js", "\ufeffsame\n"),
  utf16: put("a.js", Buffer.from("evil();\n", "utf16le")),
  ident: put("b.sh", "#!/bin/sh\ngood $Id: `evil` $\n"),
  remove: ({ root }) => rm(join(root, "dir/c.js")),
  "remove folder": ({ root }) => rm(join(root, "dir/deep"), { recursive: true }),
  "link for file": async ({ root }) => {
    await rm(join(root, "same.js"));
    await symlink("same\n", join(root, "same.js"));
  },
  "link for folder": async ({ root }) => {
    await rename(join(root, "dir/deep"), join(root, "dir/other"));
    await symlink("other", join(root, "dir/deep"));
  },
  "folder for file": async ({ root, write }) => {
    await rm(join(root, "a.js"));
    await write({ "a.js/evil.js": "evil();\n" });
  },
  "file for folder": async ({ root, write }) => {
    await rm(join(root, "dir/deep"), { recursive: true });
    await write({ "dir/deep": "evil\n" });
  },
  "case rename": ({ root }) => rename(join(root, "Case.txt"), join(root, "case.txt")),
  "case copy": put("CASE.txt", "evil\n"),
  "new file": put("new.js", "evil();\n"),
  "new empty": put("empty.js", ""),
  "new deep": put("x/y/z/new.js", "evil();\n"),
  "new binary": put("new.bin", Buffer.from([0, 255, 1])),
  "edit binary": put("bin.dat", Buffer.from([0, 1, 2, 4])),
  "new link": ({ root }) => symlink("/etc/passwd", join(root, "link")),
  "new odd name": put('-rf :(exclude)*\n\t"é\u202e.js', "evil\n"),
  "new bytes": ({ root }) =>
    writeFile(Buffer.concat([Buffer.from(`${root}/n`), Buffer.from([0xff])]), "evil\n"),
  "new attributes": put("dir/.gitattributes", "*.js -diff filter=x\n"),
  "nested git": async ({ root, git }) => {
    await git("init", "-q", "payload");
    await writeFile(join(root, "payload/x.js"), "evil\n");
  },
  "nested git file": async ({ write }) =>
    write({ "payload2/.git": "gitdir: ../.git\n", "payload2/x.js": "evil\n" }),
  "nested git link": async ({ root, write }) => {
    await write({ "payload3/x.js": "evil\n" });
    await symlink("../.git", join(root, "payload3/.git"));
  },
  "nested commit": async ({ root, git, write }) => {
    await git("init", "-q", "payload4");
    await write({ "payload4/x.js": "evil\n" });
    execFileSync(
      "git",
      ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x", "--allow-empty"],
      {
        cwd: join(root, "payload4"),
      },
    );
  },
  "git-like folder": put("bare/HEAD", "ref: refs/heads/main\n"),
  "git-like names": put(".GIT2/config", "x\n"),
};

/** What a repository, or a program in it, can do to hide them. */
const HIDES: Record<string, Act> = {
  "assume-unchanged": ({ git }) =>
    git("update-index", "--assume-unchanged", "a.js", "b.sh", "same.js", "dir/c.js"),
  "skip-worktree": ({ git }) =>
    git("update-index", "--skip-worktree", "a.js", "b.sh", "same.js", "dir/c.js", "dir/deep/d.js"),
  "no-diff": put(".git/info/attributes", "* -diff -text linguist-generated\n*.sh ident\n"),
  ident: put(".git/info/attributes", "* ident text eol=crlf\n"),
  encoding: put(".git/info/attributes", "*.js working-tree-encoding=UTF-16LE-BOM text\n"),
  macro: put(".git/info/attributes", "[attr]x -diff -text binary\n* x\n"),
  "attributes in tree": put(".gitattributes", "* ident text eol=crlf working-tree-encoding=UTF-7\n"),
  autocrlf: config("core.autocrlf", "input"),
  eol: config("core.eol", "crlf"),
  filemode: config("core.fileMode", "false"),
  symlinks: config("core.symlinks", "false"),
  ignorecase: config("core.ignoreCase", "true"),
  precompose: config("core.precomposeUnicode", "true"),
  protect: config("core.protectNTFS", "true"),
  trustctime: config("core.trustctime", "false"),
  checkstat: config("core.checkStat", "minimal"),
  ignorestat: config("core.ignoreStat", "true"),
  untrackedcache: async ({ git }) => {
    await git("config", "core.untrackedCache", "true");
    await git("update-index", "--force-untracked-cache");
    await git("status");
  },
  untracked: config("status.showUntrackedFiles", "no"),
  excludes: async ({ git, write }) => {
    await write({ ".git/HIDE": "*\n" });
    await git("config", "core.excludesFile", ".git/HIDE");
  },
  "diff settings": async ({ git }) => {
    for (const [key, value] of Object.entries({
      "diff.ignoreSubmodules": "all",
      "diff.noprefix": "true",
      "diff.mnemonicPrefix": "true",
      "diff.relative": "true",
      "diff.orderFile": ".git/none",
      "diff.context": "0",
      "diff.renames": "copies",
      "diff.renameLimit": "1",
      "diff.wsErrorHighlight": "all",
      "diff.submodule": "log",
      "diff.noIndex": "true",
      "diff.indentHeuristic": "false",
      "diff.dirstat": "files",
      "diff.statGraphWidth": "1",
      "diff.algorithm": "histogram",
      "diff.colorMoved": "zebra",
      "color.ui": "always",
      "color.diff": "always",
      "core.whitespace": "cr-at-eol,-trailing-space",
      "core.quotePath": "false",
      "core.bigFileThreshold": "1",
      "core.preloadIndex": "true",
      "core.useReplaceRefs": "true",
      "submodule.recurse": "true",
      "feature.manyFiles": "true",
      "index.sparse": "true",
      "attr.tree": "HEAD",
    }))
      await git("config", key, value);
  },
  sparse: ({ git }) => git("sparse-checkout", "set", "--no-cone", "/*", "!/dir/"),
  "sparse cone": ({ git }) => git("sparse-checkout", "set", "--cone", "--sparse-index", "x"),
  intent: ({ git }) => git("add", "-N", "."),
  "add all": ({ git }) => git("-c", "core.safecrlf=false", "add", "-A", "."),
  "remove cached": ({ git }) => git("rm", "-rq", "--cached", "dir"),
  "empty index": ({ root }) => rm(join(root, ".git/index"), { force: true }),
  "index of the change": async ({ git }) => {
    await git("add", "-A", ".");
    await git("update-index", "--assume-unchanged", "b.sh").catch(() => {});
  },
  conflict: async ({ git }) => {
    const object = (await git("rev-parse", "HEAD:a.js")).trim();
    execFileSync("git", ["update-index", "--index-info"], {
      cwd: (await git("rev-parse", "--show-toplevel")).trim(),
      input: [1, 2, 3].map((stage) => `100644 ${object} ${stage}\ta.js\n`).join(""),
    });
  },
  graft: async ({ git, write }) =>
    write({ ".git/info/grafts": `${(await git("rev-parse", "HEAD")).trim()}\n` }),
  replace: async ({ root, git }) => {
    const evil = execFileSync("git", ["hash-object", "-w", "--stdin"], { cwd: root, input: "evil();\n" })
      .toString()
      .trim();
    await git("replace", (await git("rev-parse", "HEAD:a.js")).trim(), evil);
  },
  "old times": async ({ root }) => {
    for (const path of ["a.js", "same.js", "b.sh"]) await utimes(join(root, path), 1, 1).catch(() => {});
  },
  gitlink: async ({ git }) => {
    const head = (await git("rev-parse", "HEAD")).trim();
    await git("update-index", "--add", "--cacheinfo", `160000,${head},x`);
  },
  worktree: async ({ git }) => {
    await git("config", "extensions.worktreeConfig", "true");
    await git("config", "--worktree", "core.fileMode", "false");
    await git("config", "--worktree", "core.ignoreCase", "true");
  },
};

interface DiskFile {
  readonly mode: string;
  readonly digest: string;
}

/** Reads mode and content of all files on disk by path, except those of git directories. */
async function readTree(root: string): Promise<Map<string, DiskFile>> {
  const result = new Map<string, DiskFile>();
  const pending = [Buffer.from(root)];
  for (let folder = pending.pop(); folder; folder = pending.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true, encoding: "buffer" })) {
      if (entry.name.toString() === ".git") continue;
      const full = Buffer.concat([folder, Buffer.from("/"), entry.name]);
      const path = full.toString().slice(root.length + 1);
      if (entry.isDirectory()) pending.push(full);
      else if (entry.isSymbolicLink())
        result.set(path, { mode: "120000", digest: digest(await readlink(full, "buffer")) });
      else {
        const { mode } = await lstat(full);
        result.set(path, {
          mode: (mode & 0o111) === 0 ? "100644" : "100755",
          digest: digest(await readFile(full)),
        });
      }
    }
  }
  return result;
}

function digest(bytes: Buffer): string {
  return createHash("sha1").update(bytes).digest("hex");
}

/** Returns up to `max` names, in any order. */
function someOf(acts: Readonly<Record<string, Act>>, max: number) {
  return fc.shuffledSubarray(Object.keys(acts), { minLength: 1, maxLength: max });
}

/** Applies acts. One can fail after others: git rejects flags for files that are gone, for example. */
async function apply(
  acts: Readonly<Record<string, Act>>,
  names: readonly string[],
  repository: TestRepository,
) {
  for (const name of names) await acts[name]?.(repository).catch(() => {});
}

describe("G10 combinations of changes and ways to hide them", () => {
  it("never keep a change out of the diff and the list of omitted files", { timeout: 480_000 }, async () => {
    const names = fc.tuple(someOf(CHANGES, 4), someOf(HIDES, 3), someOf(HIDES, 2));
    const property = fc.asyncProperty(names, async ([changes, before, after]) => {
      const repository = await testRepository(FILES);
      const clean = await readTree(repository.root);
      await apply(HIDES, before, repository);
      await apply(CHANGES, changes, repository);
      await apply(HIDES, after, repository);
      const dirty = await readTree(repository.root);

      const session = createDiffSession(await repository.open());
      const lease = await session.current();
      const { files, omitted = {} } = lease.snapshot;
      for (const { path, oldPath, status, binary, newMode } of files) {
        const [now, was] = [dirty.get(path), clean.get(oldPath ?? path)];
        if (now === undefined || status === "deleted" || binary) continue;
        if (status !== "type-changed" && now.mode !== was?.mode)
          expect([path, newMode]).toEqual([path, now.mode]);
        expect([path, digest(await lease.sides.read(path, "new"))]).toEqual([path, now.digest]);
      }
      lease.release();
      await session.close();

      const shown = [
        ...files.flatMap(({ path, oldPath }) => [path, oldPath ?? path]),
        ...Object.values(omitted).flatMap(({ paths }) => paths),
      ];
      const isShown = (path: string) =>
        shown.some((each) => path === each || path.startsWith(each.endsWith("/") ? each : `${each}/`));
      const changed = [...new Set([...clean.keys(), ...dirty.keys()])].filter(
        (path) => JSON.stringify(clean.get(path)) !== JSON.stringify(dirty.get(path)),
      );
      expect(changed.filter((path) => !isShown(path))).toEqual([]);
    });
    await fc.assert(property, { numRuns: 16 });
  });
});
