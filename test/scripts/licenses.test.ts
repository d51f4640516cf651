import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { licensesText, nodeLicense, packagesOf } from "../../scripts/licenses.mjs";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");
const packageIn = (folder: string, name: string) => join(folder, "node_modules", name);

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/** The folders of a package and of all its dependencies, resolved as by Node.js. */
function closure(folder: string, found = new Set<string>()): Set<string> {
  if (found.has(folder)) return found;
  found.add(folder);
  for (const name of Object.keys(manifestIn(folder).dependencies ?? {})) {
    let from = folder;
    while (!existsSync(packageIn(from, name))) from = dirname(from);
    closure(packageIn(from, name), found);
  }
  return found;
}

async function put(path: string, content: string | object): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
}

/** A project with a package whose module is in a bundle, and an empty store of texts. */
async function project(manifest: object): Promise<{ root: string; folder: string; module: string }> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "scripts/licenses"), { recursive: true });
  const one = packageIn(folder, "one");
  await put(join(one, "package.json"), { name: "one", version: "1.0.0", license: "MIT", ...manifest });
  await put(join(one, "LICENSE"), "One's terms");
  return { root: folder, folder: one, module: join(one, "index.js") };
}

describe("the licenses of what is bundled", () => {
  it("hold mermaid and every package it depends on, each with its text", () => {
    const mermaid = packageIn(root, "mermaid");
    const packages = packagesOf([join(mermaid, "dist/mermaid.core.mjs")], { root });
    const listed = packages.map(({ name, version }) => `${name} ${version}`);
    const expected = [...closure(mermaid)].map(manifestIn).map(({ name, version }) => `${name} ${version}`);
    expect(expected.length).toBeGreaterThan(100);
    expect(listed).toEqual(expect.arrayContaining(expected));
    for (const { name, text } of packages)
      expect({ name, length: text.length > 100 }).toEqual({ name, length: true });
  });

  it("hold packages inside of other packages' files, which source maps tell", () => {
    const chunks = join(packageIn(root, "@mermaid-js/parser"), "dist/chunks/mermaid-parser.core");
    const ids = readdirSync(chunks).map((file) => join(chunks, file));
    const names = packagesOf(ids, { root }).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["langium", "chevrotain", "vscode-jsonrpc"]));
  });

  it("hold the sources of bundled model data", () => {
    const packages = packagesOf([join(root, "src/proxy/models/model-data.json")], { root });
    expect(packages.map(({ name, license }) => `${name}: ${license}`)).toEqual([
      "@oh-my-pi/pi-catalog: MIT",
      "models.dev: MIT",
    ]);
    for (const { text } of packages) expect(text).toContain("Permission is hereby granted");
  });

  it("hold notices beside licenses", () => {
    const [highlights] = packagesOf([join(packageIn(root, "@pierre/highlights"), "dist/index.js")], { root });
    expect(highlights?.text).toContain(
      readFileSync(join(packageIn(root, "@pierre/highlights"), "NOTICE.md"), "utf8").trim(),
    );
    expect(highlights?.text).toContain("Apache License");
  });

  it("are refused where they are not accepted", async () => {
    const { root: folder, module } = await project({ license: "GPL-3.0-only" });
    expect(() => packagesOf([module], { root: folder })).toThrow("Licenses not accepted: one (GPL-3.0-only)");
  });

  it("are refused where a dependency has no text", async () => {
    const { root: folder, module } = await project({ dependencies: { two: "1" } });
    await put(join(packageIn(folder, "two"), "package.json"), {
      name: "two",
      version: "1.0.0",
      license: "MIT",
    });
    expect(() => packagesOf([module], { root: folder })).toThrow("No license text: two.");
    await put(join(folder, "scripts/licenses/two.txt"), "two: MIT\n\nTwo's terms\n");
    expect(packagesOf([module], { root: folder })).toMatchObject([
      { name: "one" },
      { name: "two", text: "Two's terms" },
    ]);
  });

  it("leave out packages that the build replaces by nothing", async () => {
    const { root: folder, module } = await project({ dependencies: { two: "1" } });
    await put(join(packageIn(folder, "two"), "package.json"), {
      name: "two",
      version: "1.0.0",
      license: "MIT",
    });
    expect(packagesOf([module], { root: folder, leftOut: ["two"] })).toHaveLength(1);
  });

  it("print a text that several packages share once", () => {
    const shared = { version: "1.0.0", license: "MIT", text: "The terms" };
    const text = licensesText([
      { name: "a", ...shared },
      { name: "b", ...shared },
    ]);
    expect(text).toContain("a 1.0.0: MIT\nb 1.0.0: MIT\n\nThe terms\n");
  });
});

describe("the license of the Node.js that an executable is made of", () => {
  it("is found where releases and packages of systems put it", async () => {
    for (const path of ["LICENSE", "share/doc/nodejs/copyright", "share/licenses/node/LICENSE"]) {
      const folder = await temporaryFolder();
      await put(join(folder, path), "Node.js is licensed for use as follows:");
      expect(nodeLicense(join(folder, "bin/node"))).toBe("Node.js is licensed for use as follows:");
    }
  });

  it("is asked for where it is not found", async () => {
    const folder = await temporaryFolder();
    expect(() => nodeLicense(join(folder, "bin/node"))).toThrow("--node-license");
  });
});
