import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { documents, prose, read, root } from "./support/documents.ts";

/** Returns the anchors of the headings. */
function anchorsOf(path: string): string[] {
  return [...prose(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );
}

describe("the documents", () => {
  it.each(documents)("%s links to what is there", (path) => {
    const links = [...prose(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
    const broken = links.filter((link) => {
      if (/^[a-z]+:/.test(link)) return false;
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? path : join(dirname(path), file);
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it("keep to 150 lines in the README", () => {
    expect(read("README.md").split("\n").length).toBeLessThanOrEqual(151);
  });

  it("name every guide in their index", () => {
    const index = read("docs/README.md");
    const missing = documents.filter((path) => path.startsWith("docs/") && path !== "docs/README.md");
    expect(missing.filter((path) => !index.includes(`(${path.slice("docs/".length)})`))).toEqual([]);
  });

  it("are named by no message: the executable goes without them", () => {
    const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
    const naming = sources
      .filter((path) => path.endsWith(".ts"))
      .filter((path) => {
        const lines = read(join("src", path)).split("\n");
        return lines.some((line) => !/^\s*(\/?\*|\/\/)/.test(line) && /\bdocs\/[\w/-]+\.md/.test(line));
      });
    expect(naming).toEqual([]);
  });

  it("run only scripts that package.json has", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const named = documents.flatMap((path) =>
      [...read(path).matchAll(/npm run ([\w:-]+)/g)].map(([, name = ""]) => name),
    );
    expect([...new Set(named)].filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });

  it("run only scripts and benches that are there", () => {
    const named = documents.flatMap((path) =>
      [...read(path).matchAll(/\b(?:node )((?:bench|scripts)\/[\w/.-]+\.mjs)/g)].map(([, name = ""]) => name),
    );
    expect([...new Set(named)].filter((name) => !existsSync(join(root, name)))).toEqual([]);
  });

  it("name only files of tests, sources and scripts that are there", () => {
    const named = documents.flatMap((path) =>
      [...read(path).matchAll(/\b(?:test|src|web|scripts|bench)\/[\w/.-]+\.(?:ts|tsx|mjs|json)\b/g)].map(
        ([name]) => name,
      ),
    );
    expect(named.length).toBeGreaterThan(50);
    expect([...new Set(named)].filter((name) => !existsSync(join(root, name)))).toEqual([]);
  });
});
