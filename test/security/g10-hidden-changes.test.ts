import { createHash } from "node:crypto";
import { chmod, mkdir, readdir, readFile, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { snapshotOf, type TestRepository, testRepository } from "../support/test-repository.ts";

const EVIL = 'run("evil");\n';

/** A repository with two files, in which the tests hide changes. */
const makeRepository = (files: Record<string, string> = {}) =>
  testRepository({ "a.js": "good();\n", "test.js": "test();\n", ...files });

async function shown(repository: TestRepository): Promise<Record<string, string>> {
  const { paths, patchOf } = await snapshotOf(repository);
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await patchOf(path)] as const)),
  );
}

/** Returns the file of a loose object. */
function objectFile(repository: TestRepository, object: string): string {
  return join(repository.root, ".git", "objects", object.slice(0, 2), object.slice(2));
}

describe("G10 a change that git status does not show", () => {
  it("is shown in a folder with its own .git and no commit, at any depth", async () => {
    const repository = await makeRepository();
    await repository.write({ "payload/x.js": EVIL, "payload/deep/y.js": EVIL });
    await repository.git("init", "--quiet", "payload");
    await repository.git("init", "--quiet", "payload/deep");
    expect(Object.keys(await shown(repository))).toEqual(["payload/deep/y.js", "payload/x.js"]);
  });

  it("is shown if HEAD has a submodule where the disk has a folder", async () => {
    const repository = await makeRepository();
    const head = (await repository.git("rev-parse", "HEAD")).trim();
    await repository.git("update-index", "--add", "--cacheinfo", `160000,${head},lib`);
    await repository.git("commit", "--quiet", "-m", "link");
    await repository.write({ "lib/x.js": EVIL });
    expect(await shown(repository)).toMatchObject({
      lib: expect.stringContaining(`-Subproject commit ${head}`),
      "lib/x.js": expect.stringContaining(`+${EVIL}`),
    });
    await repository.git("init", "--quiet", "lib");
    expect(Object.keys(await shown(repository))).toEqual(["lib", "lib/x.js"]);
  });

  it("is shown whatever the repository's attributes and settings are", async () => {
    const repository = await makeRepository({ "ident.sh": ': "$Id$"\n', "line.txt": "one\ntwo\n" });
    await repository.write({
      ".git/info/attributes": "*.sh ident\n*.enc working-tree-encoding=UTF-7\n*.txt text\nhidden.js -diff\n",
      ".git/HIDE": "hidden.js\n",
      "ident.sh": ': "$Id: `touch PWNED` $"\n',
      "fresh.sh": ': "$Id: `touch PWNED` $"\n',
      "text.enc": "+AGE-\n",
      "line.txt": "one\r\ntwo\r\n",
      "hidden.js": EVIL,
    });
    await chmod(join(repository.root, "a.js"), 0o755);
    await unlink(join(repository.root, "test.js"));
    await symlink("test();\n", join(repository.root, "test.js"));
    for (const [key, value] of [
      ["core.excludesFile", ".git/HIDE"],
      ["core.fileMode", "false"],
      ["core.symlinks", "false"],
      ["core.autocrlf", "input"],
    ] as const)
      await repository.git("config", key, value);
    expect(await shown(repository)).toMatchObject({
      "a.js": expect.stringContaining("new mode 100755"),
      "fresh.sh": expect.stringContaining("`touch PWNED`"),
      "hidden.js": expect.stringContaining(EVIL),
      "ident.sh": expect.stringContaining("`touch PWNED`"),
      "line.txt": expect.stringContaining("+two\r\n"),
      "test.js": expect.stringContaining("120000"),
      "text.enc": expect.stringContaining("++AGE-"),
    });
  });

  it("is shown despite forged times, index bits and skipped deletions", async () => {
    const repository = await makeRepository({ "b.js": "good();\n" });
    await repository.write({ "a.js": "evil();\n", "b.js": "evil();\n" });
    await repository.git(
      "-c",
      "filter.x.clean=git show HEAD:a.js",
      "-c",
      `core.attributesFile=${join(repository.outside, "attributes")}`,
      "add",
      "b.js",
    );
    await repository.git("reset", "--quiet");
    await writeFile(join(repository.outside, "attributes"), "a.js filter=x\n");
    await repository.git(
      "-c",
      "filter.x.clean=git show HEAD:a.js",
      "-c",
      `core.attributesFile=${join(repository.outside, "attributes")}`,
      "add",
      "a.js",
    );
    await repository.git("update-index", "--skip-worktree", "test.js");
    await repository.git("update-index", "--assume-unchanged", "b.js");
    await unlink(join(repository.root, "test.js"));
    expect(await shown(repository)).toMatchObject({
      "a.js": expect.stringContaining("+evil();"),
      "b.js": expect.stringContaining("+evil();"),
      "test.js": expect.stringContaining("deleted file"),
    });
  });

  it("is shown if the commit graph has another tree", async () => {
    const repository = await makeRepository();
    await repository.write({ "a.js": EVIL });
    await repository.commit("evil");
    const [evil, good] = await Promise.all(
      ["HEAD^{tree}", "HEAD~1^{tree}"].map(async (name) => (await repository.git("rev-parse", name)).trim()),
    );
    await repository.git("reset", "--quiet", "--soft", "HEAD~1");
    await repository.git("commit-graph", "write", "--reachable");
    const graph = join(repository.root, ".git", "objects", "info", "commit-graph");
    const bytes = await readFile(graph);
    const at = bytes.indexOf(Buffer.from(good ?? "", "hex"));
    Buffer.from(evil ?? "", "hex").copy(bytes, at);
    createHash("sha1")
      .update(bytes.subarray(0, -20))
      .digest()
      .copy(bytes, bytes.length - 20);
    await chmod(graph, 0o644);
    await writeFile(graph, bytes);
    expect((await shown(repository))["a.js"]).toContain(`+${EVIL}`);
  });

  it("is not compared with a replaced object, and the review reports it", async () => {
    const repository = await makeRepository();
    await repository.write({ "a.js": EVIL });
    const object = (await repository.git("rev-parse", "HEAD:a.js")).trim();
    const file = objectFile(repository, object);
    await rm(file);
    await writeFile(file, deflateSync(Buffer.from(`blob ${EVIL.length}\0${EVIL}`)));
    await expect(snapshotOf(repository)).rejects.toMatchObject({
      code: "git_failed",
      message: expect.stringContaining(object),
      hint: expect.stringContaining("git fsck"),
    });
  });
});

describe("G10 a difference that is not a change", () => {
  it("is not shown: line ends, identifiers and encodings of a checkout", async () => {
    const repository = await testRepository({
      ".gitattributes":
        "*.bat text eol=crlf\n*.id ident\n*.utf16 text working-tree-encoding=UTF-16LE eol=lf\n",
      "run.bat": "one\r\ntwo\r\n",
      "name.id": "$Id$\n",
      "wide.utf16": Buffer.from("größe\n", "utf16le"),
    });
    for (const path of ["run.bat", "name.id", "wide.utf16"]) await rm(join(repository.root, path));
    await repository.git("checkout", "--", ".");
    expect(await readFile(join(repository.root, "name.id"), "utf8")).toMatch(/\$Id: [0-9a-f]{40} \$/);
    expect(Object.keys(await shown(repository))).toEqual([]);
    await repository.write({ "run.bat": "one\r\n2\r\n", "new.bat": "one\r\n" });
    const { "run.bat": changed = "", "new.bat": fresh } = await shown(repository);
    expect(changed).toContain("\n one\n-two\n+2\n");
    expect(fresh).toContain("\n+one\n");
  });

  it("is not shown: files that a sparse checkout leaves out", async () => {
    const repository = await makeRepository({ "far/b.js": "b();\n" });
    await repository.git("sparse-checkout", "set", "--no-cone", "/*", "!/far/");
    await repository.write({ "a.js": EVIL });
    expect(Object.keys(await shown(repository))).toEqual(["a.js"]);
    await repository.write({ "far/b.js": EVIL });
    expect(Object.keys(await shown(repository))).toEqual(["a.js", "far/b.js"]);
  });
});

describe("a file renamed without git", () => {
  it("is shown as renamed with few changed lines, and nothing is written to the repository", async () => {
    const text = Array.from({ length: 80 }, (_, index) => `line ${index}\n`).join("");
    const repository = await makeRepository({ "old-name.ts": text });
    await mkdir(join(repository.root, "src"));
    await rename(join(repository.root, "old-name.ts"), join(repository.root, "src/new-name.ts"));
    await repository.write({
      "src/new-name.ts": text.replace("line 4\n", "line four\n"),
      "src/other.ts": "x\n",
    });
    const objects = () => readdir(join(repository.root, ".git"), { recursive: true });
    const before = (await objects()).sort();
    const { snapshot } = await snapshotOf(repository);
    expect(snapshot.files).toMatchObject([
      { path: "src/new-name.ts", oldPath: "old-name.ts", status: "renamed", additions: 1, deletions: 1 },
      { path: "src/other.ts", status: "added" },
    ]);
    expect((await objects()).sort()).toEqual(before);
  });
});
