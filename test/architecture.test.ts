import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");

function filesUnder(folder: string, endings: RegExp): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesUnder(path, endings);
    return endings.test(entry.name) ? [path] : [];
  });
}

const source = filesUnder("src", /\.ts$/);
const pages = filesUnder("web", /\.tsx?$/);
const text = (path: string) => readFileSync(join(root, path), "utf8");

/** Relative imports resolved to paths from the root; packages by their name. */
function importsOf(path: string): { local: string[]; packages: string[] } {
  const local: string[] = [];
  const packages: string[] = [];
  for (const match of text(path).matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)) {
    const name = match[1] ?? "";
    if (name.startsWith(".")) local.push(relative(root, resolve(root, dirname(path), name)));
    else packages.push(name);
  }
  return { local, packages };
}

/** The part of the house a file belongs to. */
function roomOf(path: string): string {
  const [, first = "", second = "", third = ""] = path.split("/");
  if (path === "src/main.ts" || path === "src/errors.ts") return first.replace(".ts", "");
  if (first === "proxy" && second === "dialects") return `dialect:${third}`;
  if (first === "proxy" && second === "exchange") return "exchange";
  return first;
}

const mayImport: Record<string, readonly string[]> = {
  main: ["cli"],
  cli: ["review", "proxy", "config", "http", "errors", "agents", "doctor"],
  config: ["errors"],
  http: ["errors"],
  json: [],
  sse: [],
  exchange: [],
  errors: [],
  render: [],
  review: ["http", "json", "render", "config", "errors"],
  proxy: ["http", "json", "sse", "exchange", "render", "config", "errors"],
  agents: ["config", "errors"],
  doctor: ["config", "errors"],
};

/** The types of what a server sends to its page, which renderers and pages share with it. */
const isApiType = (path: string) => /^src\/(review|proxy)\/.*api-types\.ts$/.test(path);

function isAllowed(from: string, to: string): boolean {
  if (from === to) return true;
  if (from.startsWith("dialect:"))
    return ["exchange", "sse", "json", "errors", "dialect:shared"].includes(to);
  if (from === "proxy" && to.startsWith("dialect:")) return true;
  return mayImport[from]?.includes(to) ?? false;
}

describe("the house", () => {
  it("keeps its import directions", () => {
    const wrong = source.flatMap((path) =>
      importsOf(path)
        .local.filter((target) => target.startsWith("src/") && !isAllowed(roomOf(path), roomOf(target)))
        .filter((target) => !(roomOf(path) === "render" && isApiType(target)))
        .map((target) => `${path} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it("lets pages import the servers' API types and src/render only", () => {
    const wrong = pages.flatMap((path) =>
      importsOf(path)
        .local.filter((target) => target.startsWith("src/"))
        .filter((target) => !isApiType(target) && !target.startsWith("src/render/"))
        .map((target) => `${path} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it("keeps src free of imports from web", () => {
    const wrong = source.flatMap((path) =>
      importsOf(path)
        .local.filter((target) => target.startsWith("web/"))
        .map((target) => `${path} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it("keeps src/render usable in browsers and in Node", () => {
    const renderers = source.filter((path) => path.startsWith("src/render/"));
    const wrong = renderers.filter(
      (path) =>
        importsOf(path).packages.some((name) => name.startsWith("node:")) ||
        /\b(?:process|Buffer)\./.test(text(path)),
    );
    expect(wrong).toEqual([]);
  });

  it.each([
    ["simple-git", "src/review/git/"],
    ["undici", "src/proxy/upstream/"],
    ["commander", "src/cli/"],
    ["node:cluster", "src/cli/proxy/workers/"],
  ])("keeps %s in %s", (name, folder) => {
    const wrong = source.filter(
      (path) => importsOf(path).packages.includes(name) && !path.startsWith(folder),
    );
    expect(wrong).toEqual([]);
  });

  it("reads the environment in src/config alone, and never exits by force", () => {
    const reads = source.filter(
      (path) => /process\.env\b/.test(text(path)) && !path.startsWith("src/config/"),
    );
    expect(reads).toEqual([]);
    expect(source.filter((path) => /process\.exit\(/.test(text(path)))).toEqual([]);
  });

  it("keeps files under 300 lines unless the first line says why", () => {
    const long = [...source, ...pages].filter(
      (path) => text(path).split("\n").length > 301 && !/^\/\/ Long because/.test(text(path)),
    );
    expect(long).toEqual([]);
  });

  it("keeps the median file near 80 lines", () => {
    const lengths = source.map((path) => text(path).split("\n").length).sort((a, b) => a - b);
    expect(lengths[lengths.length >> 1]).toBeLessThanOrEqual(100);
  });

  it("has tests where it has code: every test folder mirrors a source folder", () => {
    const rooms = readdirSync(join(root, "test")).filter((name) =>
      statSync(join(root, "test", name)).isDirectory(),
    );
    const known = [
      ...readdirSync(join(root, "src")),
      "e2e",
      "support",
      "fixtures",
      "security",
      "faults",
      "web",
      "scripts",
      "agents-live",
      "soak",
      "disk",
    ];
    expect(rooms.filter((room) => !known.includes(room))).toEqual([]);
  });
});
