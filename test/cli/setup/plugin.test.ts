import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { exportPlugins, listPlugins } from "../../../src/cli/setup/plugin.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sallyport-plugin-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Output channels that keep what is written. */
function recorder() {
  const notes: string[] = [];
  const results: string[] = [];
  const output = {
    note: (text: string) => void notes.push(text),
    result: async (text: string) => {
      results.push(text);
      return true;
    },
    interactive: false,
    lostResult: false,
  };
  return { output, notes, results };
}

describe("plugin export", () => {
  it("writes every package, prints the folder, and the commands that install from it", async () => {
    const { output, notes, results } = recorder();
    expect(await exportPlugins(join(folder, "my packages"), { json: false }, output)).toBe(0);
    expect(results).toEqual([join(folder, "my packages")]);
    expect(notes.join("\n")).toContain(`claude plugin marketplace add '${join(folder, "my packages")}'`);
    const hooks = await readFile(join(folder, "my packages/plugins/claude-code/hooks/hooks.json"), "utf8");
    expect(hooks).toContain("review plan --caller-waits");
  });

  it("replaces an earlier export, and refuses a folder with other files", async () => {
    const { output } = recorder();
    const packages = join(folder, "packages");
    await exportPlugins(packages, { json: false }, output);
    const manifest = join(packages, "plugins/claude-code/.claude-plugin/plugin.json");
    await writeFile(manifest, "{}");
    expect(await exportPlugins(packages, { json: false }, output)).toBe(0);
    expect(JSON.parse(await readFile(manifest, "utf8"))).toMatchObject({ name: "sallyport" });
    await writeFile(join(folder, "letter.txt"), "Dear …");
    await expect(exportPlugins(folder, { json: false }, output)).rejects.toThrow("contains other files");
  });

  it.skipIf(process.platform === "win32")("keeps the data directory private", async () => {
    const home = join(folder, "data");
    vi.stubEnv("SALLYPORT_HOME", home);
    try {
      await exportPlugins(undefined, { json: true }, recorder().output);
      await chmod(join(home, "plugins/.claude-plugin/marketplace.json"), 0o644);
      await exportPlugins(undefined, { json: true }, recorder().output);
    } finally {
      vi.unstubAllEnvs();
    }
    const entries = await readdir(home, { recursive: true, withFileTypes: true });
    const modes = await Promise.all(
      entries.map(async (entry) => {
        const { mode } = await stat(join(entry.parentPath, entry.name));
        return [entry.isDirectory() ? "folder" : "file", (mode & 0o777).toString(8)].join(" ");
      }),
    );
    expect(new Set(modes)).toEqual(new Set(["folder 700", "file 600"]));
    expect((await stat(home)).mode & 0o777).toBe(0o700);
  });

  it("prints the folder and the commands as JSON", async () => {
    const { output, results, notes } = recorder();
    await exportPlugins(join(folder, "packages"), { json: true }, output);
    const { folder: written, packages } = JSON.parse(results[0] ?? "");
    expect(written).toBe(join(folder, "packages"));
    expect(packages.map(({ id }: { id: string }) => id)).toContain("claude-code-mod");
    expect(notes).toEqual([]);
  });
});

describe("plugin list", () => {
  it("lists each package with its format and its agents, also as JSON", async () => {
    const { output, results } = recorder();
    await listPlugins({ json: false }, output);
    await listPlugins({ json: true }, output);
    const { packages } = JSON.parse(results[1] ?? "") as { packages: { id: string; format: string }[] };
    for (const { id, format } of packages) {
      expect(results[0]).toContain(id);
      expect(results[0]).toContain(format);
    }
  });
});
