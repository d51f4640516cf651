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

/** Relative imports of values, not only types, resolved to paths from the root. */
function valueImportsOf(path: string): string[] {
  return [
    ...text(path).matchAll(
      /(?:import|export)\s+(type\s+)?([^;"]*?)\s*from\s+"(\.[^"]+)"|import\("(\.[^"]+)"\)/g,
    ),
  ]
    .filter(
      ([, type, names = ""]) => !type && !/^\{\s*(type\s+\w+(\s+as\s+\w+)?\s*,?\s*)+\}$/.test(names.trim()),
    )
    .map(([, , , from, dynamic]) => relative(root, resolve(root, dirname(path), from ?? dynamic ?? "")));
}

/**
 * Returns sub-folder → the other sub-folders that it imports by value. Each file directly in `folder` counts as a
 * sub-folder.
 */
function subfolderImports(folder: string): Map<string, Set<string>> {
  const depth = folder.split("/").length;
  const subfolderOf = (path: string) =>
    path.startsWith(`${folder}/`) ? (path.split("/")[depth] ?? "") : undefined;
  const edges = new Map<string, Set<string>>();
  for (const path of [...source, ...pages]) {
    const from = subfolderOf(path);
    if (from === undefined) continue;
    for (const target of valueImportsOf(path)) {
      const to = subfolderOf(target);
      if (to !== undefined && to !== from) edges.set(from, (edges.get(from) ?? new Set()).add(to));
    }
  }
  return edges;
}

/** Returns the sub-folders that can be reached from themselves. */
function subfoldersInCycle(folder: string): string[] {
  const edges = subfolderImports(folder);
  return [...edges.keys()].filter((start) => {
    const seen = new Set<string>();
    const reach = (name: string) => {
      for (const next of edges.get(name) ?? []) {
        if (seen.has(next)) continue;
        seen.add(next);
        reach(next);
      }
    };
    reach(start);
    return seen.has(start);
  });
}

/** Folders whose sub-folders must not import each other in a cycle, and the sub-folders that still do. */
const CYCLES_LEFT: Readonly<Record<string, readonly string[]>> = {
  "src/proxy": [],
  "src/review": [],
  "src/cli": [],
  "web/plan": [],
  "web/code": [],
  "src/render": [],
};

/** The sub-folders that each sub-folder may import by value; for `src/proxy` from the bottom to the top. */
const SUBFOLDERS_MAY_IMPORT: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "src/proxy": {
    exchange: [],
    auth: ["dialects"],
    body: ["exchange"],
    usage: ["exchange", "body", "glob.ts"],
    gateway: ["body", "exchange", "routes.ts"],
    upstream: ["body", "dialects", "exchange", "redact.ts"],
    observability: ["exchange"],
    dashboard: ["observability"],
    dialects: ["exchange"],
    models: ["upstream", "dialects", "exchange", "glob.ts"],
    routing: ["models", "dialects", "usage", "upstream", "body", "exchange", "glob.ts"],
    translate: ["dialects", "dialect-errors.ts", "models", "usage", "body", "exchange"],
    mcp: ["upstream", "observability", "body", "exchange", "glob.ts"],
    pipeline: [
      "gateway",
      "models",
      "glob.ts",
      "translate",
      "routing",
      "dialects",
      "dialect-errors.ts",
      "upstream",
      "usage",
      "observability",
      "body",
      "auth",
      "exchange",
      "redact.ts",
    ],
    server: [
      "pipeline",
      "routing",
      "models",
      "dialects",
      "dialect-errors.ts",
      "upstream",
      "dashboard",
      "observability",
      "body",
      "auth",
      "gateway",
      "exchange",
      "glob.ts",
      "routes.ts",
    ],
  },
};

/** Returns the part of the program that a file belongs to. */
function roomOf(path: string): string {
  const [, first = "", second = "", third = ""] = path.split("/");
  if (path === "src/main.ts" || path === "src/errors.ts") return first.replace(".ts", "");
  if (first === "proxy" && second === "dialects") return `dialect:${third}`;
  if (first === "proxy" && second === "exchange") return "exchange";
  return first;
}

/** Registers the dialects. The configuration reads their names and facts from it. */
const REGISTRIES = ["dialect:index.ts", "dialect:codecs.ts"];

const mayImport: Record<string, readonly string[]> = {
  main: ["cli"],
  cli: ["review", "proxy", "database", "config", "files", "http", "errors", "agents"],
  database: ["config", "files", "errors"],
  config: ["files", "errors", ...REGISTRIES],
  files: ["errors"],
  http: ["config", "errors"],
  json: [],
  sse: [],
  exchange: [],
  errors: [],
  render: [],
  review: ["http", "json", "sse", "render", "config", "files", "errors"],
  proxy: ["http", "json", "sse", "exchange", "render", "database", "config", "files", "errors"],
  agents: ["review", "config", "files", "errors"],
};

/**
 * Returns whether a file defines API types: the data that a server sends to its page. Renderers and pages may import
 * these files.
 */
const isApiType = (path: string) => /^src\/(review|proxy)\/.*api-types\.ts$/.test(path);

function isAllowed(from: string, to: string): boolean {
  if (from === to) return true;
  if (from.startsWith("dialect:") && !REGISTRIES.includes(from))
    return ["exchange", "sse", "json", "errors", "dialect:shared"].includes(to);
  if ((from === "proxy" || REGISTRIES.includes(from)) && to.startsWith("dialect:")) return true;
  if (REGISTRIES.includes(from) && to === "exchange") return true;
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

  it.each(Object.entries(CYCLES_LEFT))("keeps the sub-folders of %s free of cycles", (folder, left) => {
    expect(subfoldersInCycle(folder).filter((name) => !left.includes(name))).toEqual([]);
  });

  it.each(Object.entries(SUBFOLDERS_MAY_IMPORT))("keeps the directions in %s", (folder, allowed) => {
    const wrong = [...subfolderImports(folder)].flatMap(([from, targets]) =>
      [...targets].filter((to) => allowed[from]?.includes(to) === false).map((to) => `${from} → ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  it("keeps the native lane free of codecs, and small", () => {
    const closure = new Set(["src/proxy/pipeline/native.ts"]);
    for (const path of closure) for (const target of valueImportsOf(path)) closure.add(target);
    const isCodec = (path: string) =>
      /\/dialects\/[a-z-]+\//.test(path) && !/\/shared\/|\/profile\.ts$/.test(path);
    expect([...closure].filter(isCodec)).toEqual([]);
    expect(closure.size).toBeLessThanOrEqual(60);
  });

  it.each([
    ["simple-git", "src/review/git/"],
    ["undici", "src/proxy/upstream/", "src/http/"],
    ["ws", "src/proxy/server/"],
    ["commander", "src/cli/"],
    ["node:cluster", "src/cli/proxy/workers/"],
    ["pg", "src/database/"],
    ["node-sqlite3-wasm", "src/database/sqlite/"],
  ])("keeps %s in %s", (name, ...folders) => {
    const wrong = source.filter(
      (path) => importsOf(path).packages.includes(name) && !folders.some((folder) => path.startsWith(folder)),
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
      "editors-live",
      "firefox",
      "webkit",
      "extensions",
    ];
    expect(rooms.filter((room) => !known.includes(room))).toEqual([]);
  });
});
