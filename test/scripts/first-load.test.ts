import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkFirstLoad, firstLoad } from "../../scripts/first-load.mjs";
import { temporaryFolder } from "../support/temporary-folder.ts";

async function builtPage(): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "code"));
  await mkdir(join(folder, "assets"));
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  await write(
    "code/index.html",
    `<link rel="preload" href="/api/diff/index"><link rel="stylesheet" href="/assets/a.css">
<link rel="modulepreload" href="/assets/a.js"><script type="module" src="/assets/a.js"></script>`,
  );
  await write("assets/a.css", "a{}");
  await write("assets/a.js", 'import{b}from"./b.js";import"./c.js";import("./later.js");');
  await write("assets/b.js", `export const b="${randomBytes(500).toString("hex")}";import"./a.js"`);
  await write("assets/c.js", "");
  await write("assets/later.js", "");
  return folder;
}

describe("the first load of a page", () => {
  it("is the scripts and styles of its HTML and their imports, each once, without what loads later", async () => {
    const files = firstLoad(await builtPage(), "code/index.html").map(({ file }) => file);
    expect(files.sort()).toEqual(["assets/a.css", "assets/a.js", "assets/b.js", "assets/c.js"]);
  });

  it("fails the build beyond its limit, and names the largest file first", async () => {
    const folder = await builtPage();
    const sum = firstLoad(folder, "code/index.html").reduce((total, { bytes }) => total + bytes, 0);
    expect(() => checkFirstLoad(folder, "code/index.html", sum)).not.toThrow();
    expect(() => checkFirstLoad(folder, "code/index.html", sum - 1)).toThrow(
      /^code\/index\.html loads \d+ bytes.*; at most \d+ are allowed.*\n {2}\d+ assets\/b\.js\n/,
    );
  });
});
