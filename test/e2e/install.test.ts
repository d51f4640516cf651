import { spawn } from "node:child_process";
import { chmod, chown, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { quietPort } from "../support/quiet-port.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const script = resolve(import.meta.dirname, "../../dist/sallyport.js");

/** The user "nobody". */
const NOBODY = 65_534;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program with a separate home directory. */
function run(home: string, argv: readonly string[], input = ""): Promise<Ended> {
  const [program = "", ...args] = argv;
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    SERVICE_HOME: join(home, "data"),
    SECRET: "key-from-the-shell",
  };
  const child = spawn(program, args, { cwd: home, env });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdin.end(input);
  return new Promise((done) => child.on("close", (code) => done({ code, stdout, stderr })));
}

const isRoot = process.getuid?.() === 0;

/** Runs a program without root's privileges, because root can write to every folder. Only root can drop them. */
const WITHOUT_PRIVILEGES = isRoot ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] : [];

/** Returns a folder that only another user can write to, although its mode permits its owner to. */
async function foreignFolder(home: string): Promise<string> {
  if (!isRoot) return "/usr/share";
  const folder = join(home, "foreign");
  await mkdir(folder);
  await chown(folder, NOBODY, NOBODY);
  return folder;
}

const sallyport = (home: string, ...args: string[]) => run(home, [process.execPath, script, ...args]);

async function put(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

describe("sallyport install", () => {
  it("without a terminal shows the diff, writes nothing and names the command that would", async () => {
    const home = await temporaryFolder();
    const settings = await put(join(home, ".claude/settings.json"), '{ "model": "x" }');
    const { code, stdout, stderr } = await sallyport(home, "install", "claude-code");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain('+{ "model": "x", "hooks"');
    expect(stderr).toMatch(/To write the changes above, run: .* install claude-code --yes/);
    expect(await readFile(settings, "utf8")).toBe('{ "model": "x" }');
  });

  it.runIf(process.platform === "linux").each([
    ["y", true],
    ["n", false],
    ["", false],
  ])("in a terminal asks, and goes by the answer %j", async (typed, written) => {
    const home = await temporaryFolder();
    const line = `'${process.execPath}' '${script}' install codex`;
    const { stdout } = await run(home, ["script", "-qec", line, "/dev/null"], `${typed}\n`);
    expect(stdout).toContain("Write these changes? [y/N]");
    const listed = await sallyport(home, "install", "--list");
    expect(/codex .* (yes|no) /.exec(listed.stdout)?.[1]).toBe(written ? "yes" : "no");
  });

  it("lists the agents and what is installed", async () => {
    const home = await temporaryFolder();
    await sallyport(home, "install", "gemini-cli", "--yes");
    await put(join(home, ".codex/hooks.json"), "{ broken");
    const { code, stdout } = await sallyport(home, "install", "--list");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^AGENT +NAME +INSTALLED +GIVES\n/);
    expect(stdout).toMatch(/^gemini-cli +Gemini CLI +yes /m);
    expect(stdout).toMatch(/^claude-code +Claude Code +no /m);
    expect(stdout).toMatch(/^codex +Codex CLI +unknown /m);
  });

  it("reports a read-only file and changes nothing", async () => {
    const home = await temporaryFolder();
    const settings = await put(join(home, ".claude/settings.json"), "{}");
    await chmod(settings, 0o444);
    const { code, stderr } = await sallyport(home, "install", "claude-code", "--yes");
    expect(code).toBe(1);
    expect(stderr).toContain(`${settings} is read-only. No changes made`);
    expect(await readFile(settings, "utf8")).toBe("{}");
  });

  it.runIf(process.platform === "linux")(
    "reports a folder of another user, and changes nothing",
    async () => {
      const home = await temporaryFolder();
      const folder = await foreignFolder(home);
      const settings = await put(join(home, ".claude/settings.json"), "{}");
      const install = [...WITHOUT_PRIVILEGES, process.execPath, script, "install", "claude-code", "--yes"];

      const inSettings = await run(home, ["env", `CLAUDE_CONFIG_DIR=${folder}`, ...install]);
      expect(inSettings.stderr).toContain(`Cannot write to ${folder}: permission denied. No changes made`);
      expect(inSettings.stderr).toContain(`Check its owner and mode: ls -ld "${folder}"`);
      expect(inSettings.code).toBe(1);

      const inData = await run(home, ["env", `SERVICE_HOME=${join(folder, "sallyport")}`, ...install]);
      const backups = join(folder, "sallyport/agents/claude-code/review");
      expect(inData.stderr).toContain(`Cannot store data in ${backups}: permission denied.`);
      expect(inData.code).toBe(1);

      expect(await readFile(settings, "utf8")).toBe("{}");
      expect(await readdir(join(home, ".claude"))).toEqual(["settings.json"]);
      expect(await readdir(home)).not.toContain("data");
    },
  );

  it("installs for a project and uninstalls again", async () => {
    const home = await temporaryFolder();
    await mkdir(join(home, ".git"));
    const settings = await put(join(home, ".claude/settings.json"), '{\n\t// ours\n\t"a": 1,\n}');
    await sallyport(home, "install", "claude-code", "--project", "--yes");
    expect(await readFile(settings, "utf8")).toContain("review plan");
    await sallyport(home, "uninstall", "claude-code", "--project", "--yes");
    expect(await readFile(settings, "utf8")).toBe('{\n\t// ours\n\t"a": 1,\n}');
  });

  it("refuses --project for an agent that has no settings for a project, also to uninstall", async () => {
    const home = await temporaryFolder();
    expect((await sallyport(home, "install", "cline", "--yes")).code).toBe(0);
    const settings = join(home, ".cline/data/settings/cline_mcp_settings.json");
    const installed = await readFile(settings, "utf8");
    expect(installed).toMatch(/"mcp"\s*\]/);
    for (const command of ["install", "uninstall"]) {
      const { code, stderr } = await sallyport(home, command, "cline", "--project", "--yes");
      expect({ command, code }).toEqual({ command, code: 2 });
      expect(stderr).toContain("Cline CLI has no settings for a project");
    }
    expect((await sallyport(home, "uninstall", "--all", "--project", "--yes")).code).toBe(0);
    expect(await readFile(settings, "utf8")).toBe(installed);
    const { stdout } = await sallyport(home, "install", "--list", "cline", "--project", "--json");
    expect(JSON.parse(stdout)).toMatchObject([{ id: "cline", state: "absent" }]);
  });

  it("refuses --project outside of a repository, and writes nothing", async () => {
    const home = await temporaryFolder();
    for (const verb of [["install"], ["proxy", "connect"]]) {
      const { code, stderr } = await sallyport(home, ...verb, "claude-code", "--project", "--yes");
      expect({ verb, code }).toEqual({ verb, code: 2 });
      expect(stderr).toContain(`No repository found for --project: ${home} is not in one`);
    }
    expect(await readdir(home)).toEqual([]);
  });

  it("names the same flags if an agent cannot use live plan reviews", async () => {
    const home = await temporaryFolder();
    await mkdir(join(home, ".git"));
    const { code, stderr } = await sallyport(home, "install", "qwen", "--live", "--project", "--yes");
    expect([code, stderr]).toEqual([2, expect.stringContaining("sallyport install qwen --project\n")]);
  });

  it("states that the agent is not on this machine", async () => {
    const home = await temporaryFolder();
    const line = [process.execPath, script, "install", "qwen", "--yes"];
    const { code, stderr } = await run(home, ["env", "PATH=/nowhere", ...line]);
    expect(code).toBe(0);
    expect(stderr).toContain('Qwen Code is not on the PATH (no program "qwen").');
  });

  it("lists the known agents for an unknown one", async () => {
    const home = await temporaryFolder();
    const { code, stderr } = await sallyport(home, "install", "emacs");
    expect(code).toBe(2);
    expect(stderr).toContain("claude-code, opencode, codex, gemini-cli");
  });
});

describe("sallyport proxy connect", () => {
  it("prints variables and writes nothing", async () => {
    const home = await temporaryFolder();
    const { code, stdout } = await sallyport(home, "proxy", "connect", "claude-code", "--print");
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "export ANTHROPIC_BASE_URL='http://127.0.0.1:8045'\nexport ANTHROPIC_AUTH_TOKEN='sallyport'\n",
    });
  });

  it("uses the configuration's address and key, and does not print the key", async () => {
    const home = await temporaryFolder();
    const key = "sk-0123456789abcdef";
    const config = { proxy: { port: 9123, auth_mode: "strict", api_keys: [key] } };
    await put(join(home, ".config/sallyport/config.json"), JSON.stringify(config));
    const settings = await put(
      join(home, ".claude/settings.json"),
      '{"env":{"ANTHROPIC_BASE_URL":"https://mine"}}',
    );
    const connected = await sallyport(home, "proxy", "connect", "claude-code", "--yes");
    expect(connected.code).toBe(0);
    expect(JSON.parse(await readFile(settings, "utf8")).env).toEqual({
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9123",
      ANTHROPIC_AUTH_TOKEN: key,
    });
    const disconnected = await sallyport(home, "proxy", "disconnect", "claude-code", "--yes");
    expect(connected.stderr + disconnected.stderr).not.toContain(key);
    expect(await readFile(settings, "utf8")).toBe('{"env":{"ANTHROPIC_BASE_URL":"https://mine"}}');
  });

  it("uses the key of the given variable", async () => {
    const home = await temporaryFolder();
    const { stdout } = await sallyport(home, "proxy", "connect", "openai", "--key-env", "SECRET");
    expect(stdout).toContain("OPENAI_API_KEY='key-from-the-shell'");
    const missing = await sallyport(home, "proxy", "connect", "openai", "--key-env", "NOWHERE");
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("NOWHERE is not set") });
  });

  it("keeps Claude Code's login if an upstream uses the client's, as in the example", async () => {
    const home = await temporaryFolder();
    const example = resolve(import.meta.dirname, "../../examples/proxy.config.jsonc");
    const { stdout } = await sallyport(
      home,
      ...["proxy", "connect", "claude-code", "--print", "--config", example],
    );
    expect(stdout).toBe("export ANTHROPIC_BASE_URL='http://127.0.0.1:8045'\n");
    const settings = join(home, ".claude/settings.json");
    await sallyport(home, "proxy", "connect", "claude-code", "--yes");
    expect(await readFile(settings, "utf8")).toContain("ANTHROPIC_AUTH_TOKEN");
    await sallyport(home, "proxy", "connect", "claude-code", "--yes", "--config", example);
    expect(JSON.parse(await readFile(settings, "utf8")).env).toEqual({
      ANTHROPIC_BASE_URL: "http://127.0.0.1:8045",
    });
  });

  it("sends the proxy's key and the login if both are required, and forwards only the login", async () => {
    const home = await temporaryFolder();
    const seen: Record<string, unknown>[] = [];
    const vendor = createServer((request, response) => {
      seen.push(request.headers);
      response.setHeader("content-type", "application/json").end('{"type":"message","content":[]}');
    });
    await new Promise<void>((done) => vendor.listen(0, "127.0.0.1", done));
    onTestFinished(() => void vendor.close());
    const address = vendor.address();
    const base_url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    const key = "sk-0123456789abcdef";
    const config = {
      port: await quietPort(),
      auth_mode: "strict",
      api_keys: [key],
      upstreams: { claude: { dialect: "messages", base_url, credentials: "client" } },
      models: [{ match: "*", upstream: "claude" }],
    };
    await put(join(home, ".config/sallyport/config.json"), JSON.stringify({ proxy: config }));
    const { stdout } = await sallyport(home, "proxy", "connect", "claude-code", "--print");
    const [, name = "", value = ""] = /ANTHROPIC_CUSTOM_HEADERS='(.+?): (.+)'/.exec(stdout) ?? [];
    const proxy = spawn(process.execPath, [script, "proxy", "start"], {
      env: { PATH: process.env["PATH"] ?? "", HOME: home, SERVICE_HOME: join(home, "data") },
      stdio: "ignore",
    });
    onTestFinished(() => void proxy.kill("SIGKILL"));
    const call = () =>
      fetch(`http://127.0.0.1:${config.port}/v1/messages`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          [name]: value,
          authorization: "Bearer sk-ant-oat01-of-the-person",
        },
        body: JSON.stringify({
          model: "claude-x",
          max_tokens: 1,
          messages: [{ role: "user", content: "hi" }],
        }),
      }).then(({ status }) => status);
    await expect.poll(() => call().catch(() => 0)).toBe(200);
    expect(seen.at(-1)).toMatchObject({ authorization: "Bearer sk-ant-oat01-of-the-person" });
    expect(JSON.stringify(seen)).not.toContain(key);
    const other = await sallyport(home, "proxy", "connect", "anthropic");
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining("cannot send two keys") });
  });

  it.each(["cline", "pi"])("refuses --project for %s, which has no settings for a project", async (id) => {
    const home = await temporaryFolder();
    for (const verb of ["connect", "disconnect"]) {
      const { code, stderr } = await sallyport(home, "proxy", verb, id, "--project", "--yes");
      expect({ verb, code }).toEqual({ verb, code: 2 });
      expect(stderr).toContain("has no settings for a project");
    }
    expect(await readdir(home)).toEqual([]);
  });

  it("warns if no proxy responds at the address", async () => {
    const home = await temporaryFolder();
    const port = await quietPort();
    const { code, stderr } = await sallyport(
      home,
      ...["proxy", "connect", "claude-code", "--yes", "--url", `http://127.0.0.1:${port}`],
    );
    expect(code).toBe(0);
    expect(stderr).toContain(`No proxy responds at http://127.0.0.1:${port}. Start it before the agent`);
  });

  it("rejects a proxy that is its own upstream", async () => {
    const home = await temporaryFolder();
    const upstreams = { round: { dialect: "messages", base_url: "http://localhost:8045/v1" } };
    await put(join(home, ".config/sallyport/config.json"), JSON.stringify({ proxy: { upstreams } }));
    const { code, stderr } = await sallyport(home, "proxy", "connect", "claude-code", "--yes");
    expect(code).toBe(2);
    expect(stderr).toContain('is its own upstream "round"');
  });

  it("writes the proxy's models for agents that need a list", async () => {
    const home = await temporaryFolder();
    const server = createServer((_request, response) => response.end('{"data":[{"id":"m-1"},{"id":"m-2"}]}'));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    onTestFinished(() => void server.close());
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    await sallyport(home, "proxy", "connect", "opencode", "--url", url, "--yes");
    const { provider } = JSON.parse(await readFile(join(home, ".config/opencode/opencode.json"), "utf8"));
    expect(provider.sallyport).toMatchObject({
      options: { baseURL: `${url}/v1` },
      models: { "m-1": {}, "m-2": {} },
    });
  });

  it("states that the proxy must be running if its models are needed", async () => {
    const home = await temporaryFolder();
    const { code, stderr } = await sallyport(
      home,
      "proxy",
      "connect",
      "pi",
      "--url",
      "http://127.0.0.1:9",
      "--yes",
    );
    expect(code).toBe(2);
    expect(stderr).toContain("start it in another terminal: sallyport proxy start");
  });
});
