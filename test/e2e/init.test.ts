import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { shellLine } from "../../src/agents/own-command.ts";
import { quietPort } from "../support/quiet-port.ts";
import { COMMAND, sandbox, startCommand } from "../support/spawned-command.ts";

/** The command that runs this installation, which is not on the PATH. */
const OWN = shellLine([process.execPath, COMMAND]);

/** A `secret-tool` that stores secrets as files, because the keychain's service needs a desktop session. */
const SECRET_TOOL = `#!/bin/sh
case "$1" in
  store) cat > "$KEYS/$6" ;;
  lookup) cat "$KEYS/$5" ;;
esac
`;

/** A `systemctl` of a session whose services never run. */
const SYSTEMCTL = `#!/bin/sh
echo "$*" >> "$KEYS/systemctl.log"
case "$2" in
  show) printf 'LoadState=not-found\\nActiveState=inactive\\nSubState=dead\\nUnitFileState=\\n' ;;
esac
`;

/** An environment with Claude Code, a separate configuration folder, and the programs in `more`. */
async function withMachine(more: Readonly<Record<string, string>> = {}, variables = {}) {
  const folder = await sandbox();
  const bin = join(folder, "bin");
  const keys = join(folder, "keys");
  await mkdir(bin);
  await mkdir(keys);
  await mkdir(join(folder, "project", ".git"));
  const programs = { systemctl: "#!/bin/sh\nexit 1\n", ...more, claude: "#!/bin/sh\nexit 0\n" };
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(bin, name), text);
    await chmod(join(bin, name), 0o755);
  }
  const environment = {
    PATH: `${bin}:/usr/bin:/bin`,
    KEYS: keys,
    SERVICE_PROXY_PORT: String(await quietPort()),
    ...variables,
  };
  const run = async (...args: string[]) => (await startCommand(args, { folder, environment })).ended;
  const listHome = async () =>
    (await readdir(join(folder, "home"), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .sort();
  onTestFinished(async () => {
    await run("proxy", "stop", "--all");
  });
  return { folder, keys, run, listHome };
}

describe("sallyport init", () => {
  it("shows the diffs without a terminal, writes nothing, and names the command that would", async () => {
    const { folder, run, listHome } = await withMachine({}, { ANTHROPIC_API_KEY: "sk-ant-secret" });
    const { code, stdout, stderr } = await run("init");
    expect(code).toBe(2);
    expect(stdout).toMatch(/^Review the plans of Claude Code +proposed$/m);
    expect(stderr).toContain("review plan");
    expect(stderr).toContain(`To carry out the steps above, run: ${OWN} init --yes`);
    expect(stderr).toContain(`repository     ${join(folder, "project")}`);
    expect(stderr).toContain("ANTHROPIC_API_KEY");
    expect(stdout + stderr).not.toContain("sk-ant-secret");
    expect(await listHome()).toEqual([]);
    expect((await run("init", "--dry-run")).code).toBe(0);
    expect(await listHome()).toEqual([]);
    expect(await readdir(folder)).not.toContain("data");
  });

  it("installs the hooks with --yes, and finds nothing to do the second time", async () => {
    const { folder, run } = await withMachine();
    const first = await run("init", "--yes", "--json");
    expect(first.code).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({
      found: {
        agents: [{ id: "claude-code", hook: "absent", connected: false }],
        repository: join(folder, "project"),
        proxy: { running: false, service: "unavailable" },
      },
      steps: [{ id: "hook:claude-code", state: "done", diff: expect.stringContaining("+++ ") }],
    });
    const settings = join(folder, "home", ".claude", "settings.json");
    expect(await readFile(settings, "utf8")).toContain("review plan");
    const second = await run("init", "--yes");
    expect([second.code, second.stdout]).toEqual([0, "Everything is set up. No changes made.\n"]);
    await run("uninstall", "--all", "--yes");
    expect(JSON.parse((await run("init", "--dry-run", "--json")).stdout).steps).toHaveLength(1);
  });

  it("prints the URLs of upstreams without the credentials in their queries", async () => {
    const { folder, run } = await withMachine();
    const config = join(folder, "config.json");
    const base_url = "http://127.0.0.1:9/v1?api_key=hidden-0123456789";
    await writeFile(
      config,
      JSON.stringify({ proxy: { upstreams: { away: { dialect: "messages", base_url } } } }),
    );
    const { stdout, stderr } = await run("init", "--dry-run", "--json", "--config", config);
    expect(JSON.parse(stdout).found.upstreams).toMatchObject([
      { name: "away", baseUrl: "http://127.0.0.1:9/v1?api_key=[redacted]" },
    ]);
    expect(stdout + stderr).not.toContain("hidden-0123456789");
  });

  it("proposes nothing in a project for an agent that has no settings for one", async () => {
    const { run, listHome } = await withMachine({ cline: "#!/bin/sh\nexit 0\n" });
    const { code, stdout } = await run("init", "--project", "--yes", "--json");
    const { found, steps } = JSON.parse(stdout);
    expect({ code, steps }).toMatchObject({ code: 0, steps: [{ id: "hook:claude-code", state: "done" }] });
    expect(found.agents).toContainEqual(
      expect.objectContaining({ id: "cline", hook: null, connected: null }),
    );
    expect(await listHome()).toEqual([]);
  });

  it("names agents to install where none is on the PATH", async () => {
    const { run } = await withMachine({}, { PATH: "/usr/bin:/bin" });
    const { code, stdout, stderr } = await run("init");
    expect([code, stdout]).toEqual([0, "Found nothing to set up. No changes made.\n"]);
    expect(stderr).toContain(
      "No supported agent is on the PATH. To list all agents: sallyport install --list",
    );
  });

  it("sets up keys, service and connection with --yes --proxy, and only proposes them without", async () => {
    const { folder, keys, run, listHome } = await withMachine(
      { "secret-tool": SECRET_TOOL, systemctl: SYSTEMCTL },
      { ANTHROPIC_API_KEY: "sk-ant-secret", DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere" },
    );
    const hooks = await run("init", "--yes");
    expect(hooks.stdout).toMatch(/^Connect Claude Code to the proxy +proposed$/m);
    expect(hooks.stderr).toContain(`Set up the proxy too: ${OWN} init --proxy --yes`);
    expect(await listHome()).not.toContain("config.json");

    const { code, stdout, stderr } = await run("init", "--yes", "--proxy", "--json");
    expect(stderr).not.toContain("[internal]");
    expect(code).toBe(0);
    expect(
      JSON.parse(stdout).steps.map(({ id, state }: { id: string; state: string }) => [id, state]),
    ).toEqual([
      ["keys", "done"],
      ["service", "done"],
      ["connection:claude-code", "done"],
    ]);
    const home = join(folder, "home");
    const configuration = await readFile(join(home, ".config", "sallyport", "config.json"), "utf8");
    expect(configuration).toContain('"keychain": "ANTHROPIC_API_KEY"');
    expect(stdout + stderr + configuration).not.toContain("sk-ant-secret");
    expect(await readFile(join(keys, "ANTHROPIC_API_KEY"), "utf8")).toBe("sk-ant-secret");
    expect(await readFile(join(keys, "systemctl.log"), "utf8")).toMatch(/--user restart sallyport-proxy/);
    expect(await readFile(join(home, ".claude", "settings.json"), "utf8")).toContain("ANTHROPIC_BASE_URL");
  });

  it("reports a step that fails, and does not carry out those that need it", async () => {
    const { run } = await withMachine(
      { "secret-tool": "#!/bin/sh\nexit 1\n", systemctl: SYSTEMCTL },
      { ANTHROPIC_API_KEY: "sk-ant-secret", DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere" },
    );
    const { code, stdout, stderr } = await run("init", "--yes", "--proxy");
    expect(code).toBe(2);
    expect(stderr).toContain('Cannot store "ANTHROPIC_API_KEY" in the keychain');
    expect(stdout).toMatch(/^Review the plans of Claude Code +done$/m);
    expect(stdout).toMatch(/^Store ANTHROPIC_API_KEY .* failed$/m);
    expect(stdout).toMatch(/^Run the proxy as a service +skipped$/m);
    expect(stdout).toMatch(/^Connect Claude Code to the proxy +skipped$/m);
  });
});
