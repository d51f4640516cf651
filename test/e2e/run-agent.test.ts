import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { quietPort } from "../support/quiet-port.ts";
import { sandbox, startCommand } from "../support/spawned-command.ts";

/** A program that prints how it was started, calls the proxy, and ends with 7. */
const AGENT = `#!${process.execPath}
const { ANTHROPIC_BASE_URL: url, OPENCODE_CONFIG_CONTENT: content, SALLYPORT_KEY: key } = process.env;
const base = url ?? process.env.GOOGLE_GEMINI_BASE_URL ?? JSON.parse(content ?? "null")?.provider.sallyport.options.baseURL.replace(/\\/v1$/, "");
const status = base === undefined ? 0 : (await fetch(base + "/healthz")).status;
console.log(JSON.stringify({ args: process.argv.slice(2), base, status, key, content: JSON.parse(content ?? "null") }));
process.exitCode = 7;
`;

async function withAgents(settings: object = { upstreams: {} }) {
  const folder = await sandbox();
  const bin = join(folder, "bin");
  await mkdir(bin);
  for (const name of ["claude", "codex", "opencode"]) {
    await writeFile(join(bin, name), AGENT.replace("const {", "export {};\nconst {"));
    await chmod(join(bin, name), 0o755);
  }
  await writeFile(join(bin, "package.json"), '{ "type": "module" }');
  const port = await quietPort();
  const file = join(folder, "config.json");
  await writeFile(file, JSON.stringify({ proxy: { port, ...settings } }));
  const environment = { PATH: `${bin}:${process.env["PATH"]}`, SERVICE_CONFIG: file };
  const run = async (...args: string[]) => (await startCommand(args, { folder, environment })).ended;
  onTestFinished(async () => {
    await run("proxy", "stop", "--all");
  });
  return { folder, port, run };
}

describe("sallyport run", () => {
  it("starts the proxy where none runs, then the agent, and ends with its exit code", async () => {
    const { folder, port, run } = await withAgents();
    const first = await run("run", "claude-code", "--model", "x", "--quiet");
    expect(first.stderr).toMatch(/Started the proxy at http:\/\/127\.0\.0\.1:\d+/);
    expect(first.code).toBe(7);
    expect(JSON.parse(first.stdout)).toMatchObject({
      args: ["--model", "x", "--quiet"],
      base: `http://127.0.0.1:${port}`,
      status: 200,
    });
    const second = await run("run", "claude", "-p", "hi");
    expect(second.stderr).not.toContain("Started the proxy");
    expect(second.code).toBe(7);
    // Nothing is written to the agent's home.
    expect(await readdir(join(folder, "home"))).toEqual([]);
  });

  it("gives Codex a provider in arguments, and OpenCode one in its variable", async () => {
    const { port, run } = await withAgents();
    const codex = JSON.parse((await run("run", "codex", "exec", "hi")).stdout);
    expect(codex.args).toEqual([
      ...["-c", 'model_provider="sallyport"', "-c"],
      `model_providers.sallyport={name="Sallyport",base_url="http://127.0.0.1:${port}/v1",wire_api="responses",env_key="SALLYPORT_KEY"}`,
      ...["exec", "hi"],
    ]);
    expect(codex.key).toBe("sallyport");
    const openCode = JSON.parse((await run("run", "opencode")).stdout);
    expect(Object.keys(openCode.content.provider.sallyport.models)).toEqual(["echo"]);
    expect(openCode.status).toBe(200);
  });

  it("names the alternative for an agent that it cannot start", async () => {
    const { run } = await withAgents();
    for (const [name, hint] of [
      ["openai", /sallyport proxy connect openai --print/],
      ["pi", /sallyport proxy connect pi/],
      ["gemini-cli", /no program "gemini" on the PATH/],
    ] as const) {
      const { code, stderr } = await run("run", name);
      expect([name, code]).toEqual([name, 2]);
      expect(stderr).toMatch(hint);
    }
  });

  it("starts no proxy at another address", async () => {
    const { run } = await withAgents();
    const { code, stderr } = await run("run", "--url", "http://127.0.0.1:9", "claude");
    expect(code).toBe(1);
    expect(stderr).toContain("No proxy responds at http://127.0.0.1:9 [upstream_unreachable]");
  });
});

describe("sallyport uninstall --all", () => {
  it("removes every hook and connection, stops proxies, and with --data deletes the data directory", async () => {
    const { folder, run } = await withAgents();
    const home = join(folder, "home");
    await run("install", "claude-code", "--yes");
    await run("install", "codex", "--yes");
    await run("proxy", "connect", "claude-code", "--yes");
    await run("proxy", "start", "--detach");
    await run("plugin", "export");
    // As after `review pr`.
    await mkdir(join(folder, "data", "pull-requests"));
    const { code, stdout } = await run("uninstall", "--all", "--data", "--yes", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ removed: ["claude-code", "codex", "claude-code → proxy", "data"] });
    const left = (await readdir(home, { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    );
    expect(left.map(({ name }) => name)).toEqual([]);
    expect(await readdir(folder)).not.toContain("data");
    expect((await run("proxy", "status")).code).toBe(3);
  });

  it("keeps a data directory that contains other files", async () => {
    const { folder, run } = await withAgents();
    await mkdir(join(folder, "data"));
    await writeFile(join(folder, "data", "thesis.txt"), "");
    const { code, stderr } = await run("uninstall", "--all", "--data", "--yes");
    expect(code).toBe(2);
    expect(stderr).toContain("thesis.txt");
    expect(await readdir(join(folder, "data"))).toContain("thesis.txt");
  });
});
