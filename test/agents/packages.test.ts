import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { loadPackages, packageFiles } from "../../src/agents/packages/packages.ts";
import { type PackageTarget, publishedTarget } from "../../src/agents/packages/plugin-package.ts";

const root = resolve(import.meta.dirname, "../..");
const { version, files: packageEntries } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const published = await packageFiles(publishedTarget(version));
const packages = await loadPackages();
const odd: PackageTarget = {
  command: "'/opt/my tools/node' /opt/sallyport.js",
  argv: ["/opt/my tools/node", "/opt/sallyport.js"],
  version: "1.2.3",
  platform: "linux",
};

/** Returns the text of a package's file. */
function contentOf(id: string, path: string, target = publishedTarget(version)): string {
  const file = packages
    .find((each) => each.id === id)
    ?.files(target)
    .find((each) => each.path === path);
  if (!file) throw new Error(`${id} has no ${path}`);
  return file.content;
}

describe("the packages in the repository", () => {
  it("are what the registry of agents generates (npm run plugins)", () => {
    const stale = published.filter(({ path, content }) => readText(join(root, path)) !== content);
    expect(stale.map(({ path }) => path)).toEqual([]);
  });

  it("contain no other files", () => {
    const found = readdirSync(join(root, "plugins"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const expected = published
      .map(({ path }) => join(root, path))
      .filter((path) => path.startsWith(join(root, "plugins")));
    expect(found.toSorted()).toEqual(expected.toSorted());
  });

  it("are in the npm package, with the marketplaces", () => {
    const tops = new Set(published.map(({ path }) => path.split("/")[0]));
    expect(
      [...tops].filter((top) => !packageEntries.some((entry: string) => entry.split("/")[0] === top)),
    ).toEqual([]);
  });

  it("are listed by marketplaces under their own names, each name once", () => {
    const marketplaces = published.filter(({ path }) => path.endsWith("marketplace.json"));
    expect(marketplaces.length).toBe(3);
    for (const { content } of marketplaces) {
      const { plugins } = JSON.parse(content) as { plugins: { name: string; source: string }[] };
      expect(new Set(plugins.map(({ name }) => name)).size).toBe(plugins.length);
      for (const { name, source } of plugins) {
        const manifest = [".claude-plugin/plugin.json", "plugin.json"]
          .map((path) => join(root, source, path))
          .find((path) => existsSync(path));
        expect(JSON.parse(readFileSync(manifest ?? "", "utf8"))).toMatchObject({ name, version });
      }
    }
  });
});

describe.each(packages.map((each) => [each.id, each] as const))("the package %s", (_id, each) => {
  it("has a README of at least 40 words, and only valid JSON", () => {
    const files = each.files(publishedTarget(version));
    const readme = files.find(({ path }) => path === "README.md")?.content ?? "";
    expect(readme.split(/\s+/).length).toBeGreaterThan(40);
    for (const { path, content } of files) if (path.endsWith(".json")) JSON.parse(content);
  });

  it("starts the given command, however it is spelled", () => {
    const text = each.files(odd).map(({ content }) => content);
    const starts = text.filter((content) => content.includes("/opt/sallyport.js"));
    expect(starts.length).toBeGreaterThan(0);
    // Only the READMEs name the command that people type.
    const others = each.files(odd).filter(({ path }) => path !== "README.md");
    expect(others.filter(({ content }) => /"sallyport",? ?\n? *"?(?:mcp|review)/.test(content))).toEqual([]);
  });

  it("follows the rules of Agent Skills in each SKILL.md", () => {
    for (const { path, content } of each.files(publishedTarget(version))) {
      if (!path.endsWith("SKILL.md")) continue;
      const [, name, description = ""] =
        /^---\nname: (.+)\ndescription: (.+)\n(?:allowed-tools: .+\n)?---\n/.exec(content) ?? [];
      expect(name).toBe(dirname(path).split("/").at(-1));
      expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(description.length).toBeLessThanOrEqual(1024);
    }
  });
});

describe("the Agent Plugin", () => {
  /** The closed schemas of the specification, version 1.0.0. */
  const manifest = z.strictObject({
    $schema: z.literal("https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"),
    name: z.string().regex(/^(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/),
    version: z.string(),
    description: z.string(),
    author: z.strictObject({ name: z.string() }),
    license: z.string(),
    keywords: z.array(z.string()),
  });
  const servers = z.strictObject({
    $schema: z.literal("https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"),
    mcpServers: z.record(
      z.string(),
      z.strictObject({
        type: z.literal("stdio"),
        // One executable token: a name, or a path within the plugin. Any other path would be valid only on this
        // machine.
        command: z.string().regex(/^[\w.-]+$/),
        args: z.array(z.string()),
      }),
    ),
  });

  it("conforms to the closed schemas of its manifest and its MCP servers", () => {
    manifest.parse(JSON.parse(contentOf("agent-plugin", "plugin.json")));
    servers.parse(JSON.parse(contentOf("agent-plugin", "mcp.json")));
  });

  it("passes a command of several parts to MCP as separate arguments", () => {
    const { mcpServers } = JSON.parse(contentOf("agent-plugin", "mcp.json", odd));
    expect(mcpServers.sallyport).toEqual({
      type: "stdio",
      command: "/opt/my tools/node",
      args: ["/opt/sallyport.js", "mcp"],
    });
  });

  it("quotes the command for the shell that runs hooks", () => {
    const { hooks } = JSON.parse(contentOf("agent-plugin", "com.github.copilot/hooks/hooks.json", odd));
    expect(hooks.preToolUse[0].bash).toMatch(
      /^exec '\/opt\/my tools\/node' \/opt\/sallyport\.js review plan /,
    );
  });
});

function readText(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
