import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { configurationJsonSchema } from "../src/cli/proxy/check.ts";
import { parseConfiguration } from "../src/config/load.ts";
import { capabilityOverrideSchema } from "../src/config/proxy/capability-override.ts";
import { proxySchema } from "../src/config/proxy/schema.ts";
import { routes } from "../src/proxy/routes.ts";
import { codeBlocks, documents, inlineCode, prose, read, root } from "./support/documents.ts";

const blocks = documents.flatMap(codeBlocks);

/** Every file below src, as one text. */
const source = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => read(join("src", path)))
  .join("\n");

/** Returns the paths of a route. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/:\w+/g, "[^/]+").replace("*", ".+")}/?$`);

/** The columns of the table in docs/agents.md, with their names in programs.json. */
const TABLE_COLUMNS = [
  ["Claude Code", "claude-code"],
  ["OpenCode", "opencode"],
  ["Codex CLI", "codex"],
  ["Gemini CLI", "gemini-cli"],
  ["Qwen Code", "qwen-code"],
  ["Copilot CLI", "copilot"],
  ["Kilo", "kilo"],
  ["Cline CLI", "cline"],
] as const;

/** An agent's name and version, for example "Codex CLI 0.171.0", without "or later". */
const TESTED_AGENT =
  /(?:Claude Code|OpenCode|Codex CLI|Gemini CLI|Qwen Code|Copilot CLI|Kilo|Cline CLI) (\d+\.\d+\.\d+)\b(?! (?:or|and) later)/g;

const variablesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/\bSERVICE_[A-Z_]*[A-Z]\b/g)].map(([name]) => name)),
];

describe("what the documents say", () => {
  it("in JSON is JSON, and in a configuration a configuration", () => {
    const schema = z.fromJSONSchema(JSON.parse(JSON.stringify(configurationJsonSchema())));
    const json = blocks.filter(({ language }) => language === "json");
    const configurations = blocks.filter(({ language }) => language === "jsonc");
    expect(json.length).toBeGreaterThan(0);
    expect(configurations.length).toBeGreaterThan(0);
    for (const { text } of json) expect(() => JSON.parse(text)).not.toThrow();
    for (const { document, text } of configurations)
      expect(schema.safeParse(parseConfiguration(text, document).value).error).toBeUndefined();
  });

  it("of variables is true of all that are read, and of no others", () => {
    const documented = variablesIn(documents.map(read).join("\n"));
    const suffixes = documents.flatMap(inlineCode).flatMap((code) => /^_[A-Z_]+$/.exec(code) ?? []);
    const all = [...documented, ...suffixes.map((suffix) => `SERVICE_PROXY${suffix}`)];
    const known = variablesIn(source);
    expect(known.filter((name) => !all.includes(name))).toEqual([]);
    expect(documented.filter((name) => !known.includes(name))).toEqual([]);
  });

  it("of signing in names every variable that is read, and no others", () => {
    const variable =
      /\b(?:GH|GITHUB|GL|GITLAB|OAUTH|BITBUCKET|AZURE_DEVOPS)_(?:[A-Z]+_)*(?:TOKEN|HOST|URI|EMAIL|USERNAME|PASSWORD|PAT)\b/g;
    const namesIn = (path: string) => [...new Set(read(path).match(variable))].sort();
    expect(namesIn("docs/reference/review-pr.md")).toEqual(namesIn("src/review/forges/credentials.ts"));
  });

  it("of capabilities names every member of the schema", () => {
    const section = read("docs/reference/translation.md").split("## Capabilities of a model")[1] ?? "";
    const cells = [...section.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = ""]) => cell);
    const documented = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(documented.sort()).toEqual(Object.keys(capabilityOverrideSchema.shape).sort());
  });

  it("of the proxy's defaults is what the schema has", () => {
    const section = read("docs/reference/proxy.md").split("\n## Configuration\n")[1]?.split("\n## ")[0] ?? "";
    const rows = [...section.matchAll(/^\| `(\w+)` \| ([^|]*)\|/gm)];
    const documented = new Map(
      rows.map(([, key = "", value = ""]) => [key, value.trim().replaceAll("`", "")]),
    );
    const defaults = proxySchema.parse({});
    expect([...documented.keys()].sort()).toEqual(Object.keys(proxySchema.shape).sort());
    for (const [key, value] of Object.entries(defaults)) {
      if (documented.get(key) === "see right") continue;
      const text = typeof value === "object" ? JSON.stringify(value) : String(value);
      const times = key === "timeouts" ? Object.values(defaults.timeouts).join(", ") : text;
      expect(`${key} ${documented.get(key)}`).toBe(`${key} ${times}`);
    }
  });

  it("of the proxy's limits and log is what the schema has", () => {
    const text = read("docs/reference/proxy.md");
    const { limits, logging } = proxySchema.parse({});
    const mebibytes = (bytes: number) => `${bytes / 1024 / 1024} MiB`;
    for (const limit of [
      `\`body\` ${mebibytes(limits.body)}`,
      `\`utility_body\` ${mebibytes(limits.utility_body)}`,
      `\`in_flight\` ${mebibytes(limits.in_flight)}`,
      `\`connections\` ${limits.connections}`,
      `\`requests\` ${logging.requests}`,
      `\`max_file\` ${mebibytes(logging.max_file)}`,
      `\`files\` ${logging.files}`,
    ])
      expect(text).toContain(limit);
  });

  it("has curl send is JSON, to a route that there is", () => {
    const calls = [
      ...documents
        .map(read)
        .join("\n")
        .matchAll(/^curl (?:-N )?http:\/\/localhost:8045(\/\S*)(?:[^\n]*\\\n +-d '([^']*)')?/gm),
    ];
    expect(calls.length).toBeGreaterThan(3);
    for (const [, path = "", body] of calls) {
      expect(() => JSON.parse(body ?? "{}")).not.toThrow();
      const method = body === undefined ? "GET" : "POST";
      expect(routes.some((each) => each.method === method && patternOf(each.path).test(path))).toBe(true);
    }
  });

  it("of the proxy's routes names each of them, and no others", () => {
    const section = read("docs/reference/proxy.md").split("\n## Routes\n")[1]?.split("\n## ")[0] ?? "";
    const named = [...section.matchAll(/`(?:[A-Z]+ )?(\/[^\s`]*)`/g)].map(([, path = ""]) => path);
    const patterns = routes.map(({ path }) => patternOf(path));
    const asked = (path: string) => path.replace(/\{\w+\}/g, "x");
    const notFolders = named.filter((path) => !["/batch", "/v1/models/"].includes(path));
    expect(notFolders.filter((path) => !patterns.some((pattern) => pattern.test(asked(path))))).toEqual([]);
    const covered = (pattern: RegExp) => named.some((path) => pattern.test(asked(path)));
    const silent = routes.filter(({ path }, index) => {
      if (path.endsWith("/batch") || path.startsWith("/mcp/")) return false;
      return !covered(patterns[index] ?? /^$/);
    });
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  it("of the proxy's metrics names each of them, and no others", () => {
    const section = read("docs/reference/proxy.md").split("\n## Metrics\n")[1]?.split("\n## ")[0] ?? "";
    const named = [...section.matchAll(/^\| `(\w+)` \| \w+ \|/gm)].map(([, name = ""]) => name);
    const known = source.matchAll(
      /\b((?:sallyport|gen_ai|process|nodejs)_[a-z_]*_(?:total|seconds|bytes|calls|utilization))\b/g,
    );
    expect(named.sort()).toEqual([...new Set([...known].map(([name]) => name))].sort());
  });

  it("of the review server's routes names each of them, and no others", () => {
    const known = [...source.matchAll(/\("(\/api\/(?!hello|event_)[\w/:-]+)"/g)].map(([, path = ""]) =>
      path.replace(/:(\w+)/g, "{$1}"),
    );
    const text = ["review-api", "review-code", "review-live"]
      .map((name) => `docs/reference/${name}.md`)
      .map(read)
      .join("\n");
    const named = [...text.matchAll(/`(?:GET|POST|PUT|PATCH)(?:`, `PUT)? (\/api\/[\w/{}-]+)/g)].map(
      ([, path = ""]) => path,
    );
    expect([...new Set(named)].sort()).toEqual([...new Set(known)].sort());
  });

  it("of the architecture names every folder of src", () => {
    const plan = codeBlocks("docs/architecture.md")[0]?.text ?? "";
    const folders = readdirSync(join(root, "src"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    expect(folders.filter((name) => !plan.includes(`  ${name}/`))).toEqual([]);
  });

  it("of tested agents names the versions that test:agents runs", () => {
    const programs = JSON.parse(read("test/agents-live/support/programs.json")) as Record<
      string,
      { version: string } | undefined
    >;
    const versionsOf = (id: string) => [id, `${id}-earlier`].flatMap((name) => programs[name]?.version ?? []);
    const table = /^\| \|(.*)\|\n.*\n\| tested versions \|(.*)\|/m.exec(read("docs/agents.md")) ?? [];
    const [names = [], versions = []] = table
      .slice(1)
      .map((row) => row.split("|").map((cell) => cell.trim()));
    expect(names.map((name, index) => [name, versions[index]])).toEqual(
      TABLE_COLUMNS.map(([name, id]) => [name, versionsOf(id).join(" and ")]),
    );
    const known = Object.values(programs).map((each) => each?.version);
    const sources = [...documents.filter((path) => !path.startsWith("CHANGELOG")).map(read), source];
    const named = sources.flatMap((text) =>
      [...text.matchAll(TESTED_AGENT)].map(([, version = ""]) => version),
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((version) => !known.includes(version))).toEqual([]);
  });

  it("of dependencies names each, and none that is not there", () => {
    const { devDependencies } = JSON.parse(read("package.json")) as {
      devDependencies: Record<string, string>;
    };
    const packages = Object.keys(devDependencies);
    const rows = [...prose("docs/dependencies.md").matchAll(/^\| ([^|]+) \|/gm)]
      .flatMap(([, names = ""]) => names.split(","))
      .map((name) => name.trim())
      .filter((name) => name !== "package" && !name.startsWith("---"));
    expect(rows.toSorted()).toEqual(packages.toSorted());
  });
});
