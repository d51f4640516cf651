import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { events, startFakeUpstream } from "../support/fake-upstream.ts";
import { quietPort } from "../support/quiet-port.ts";
import { until } from "../support/start-proxy.ts";

const command = resolve(import.meta.dirname, "../../dist/sallyport.js");
let home = "";
const children: ChildProcess[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "proxy-command-"));
});
afterEach(async () => {
  const ended = children.splice(0).map(async (child) => {
    const exited = child.exitCode ?? child.signalCode ?? once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  });
  await Promise.all(ended);
  rmSync(home, { recursive: true, force: true });
});

const environment = () => ({ PATH: process.env["PATH"], HOME: home, SERVICE_HOME: join(home, "data") });

interface Started {
  readonly url: string;
  readonly child: ChildProcess;
  readonly stderr: () => string;
  readonly exit: Promise<number | null>;
}

async function start(config: object): Promise<Started> {
  const file = join(home, "config.json");
  writeFileSync(file, JSON.stringify({ proxy: config }));
  const ready = join(home, "ready.json");
  rmSync(ready, { force: true });
  const port = String(await quietPort());
  const args = [command, "proxy", "start", "--config", file, "--port", port, "--ready-file", ready];
  const child = spawn(process.execPath, args, { env: environment(), stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  let stderr = "";
  child.stderr?.on("data", (bytes: Buffer) => {
    stderr += bytes.toString();
  });
  const exit = new Promise<number | null>((done) => child.once("exit", done));
  await until(() => child.exitCode !== null || isThere(ready));
  if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${stderr}`);
  const { url } = JSON.parse(readFileSync(ready, "utf8")) as { url: string };
  // Printed before the file existed, so it may not have been read yet.
  await until(() => /^ {2}configuration .*\n/m.test(stderr));
  return { url, child, stderr: () => stderr, exit };
}

function isThere(path: string): boolean {
  try {
    return statSync(path).size > 0;
  } catch {
    return false;
  }
}

const run = (...args: string[]) =>
  spawnSync(process.execPath, [command, "proxy", ...args], { env: environment(), encoding: "utf8" });

describe("sallyport proxy", () => {
  it("prints what to paste, creates a key once, keeps it secret, and logs metadata only", async () => {
    const first = await start({ auth_mode: "strict" });
    await until(() => /do not show it\.\n/.test(first.stderr()));
    const key = /sk-sallyport-[\w-]+/.exec(first.stderr())?.[0] ?? "";
    expect(first.stderr()).toContain(`ANTHROPIC_BASE_URL=${first.url}`);
    expect(first.stderr()).toContain(`OPENAI_BASE_URL=${first.url}/v1`);
    const body = JSON.stringify({ model: "echo", messages: [{ role: "user", content: "private words" }] });
    const headers = { "content-type": "application/json", "x-api-key": key };
    const response = await fetch(`${first.url}/v1/messages`, { method: "POST", headers, body });
    expect(await response.text()).toContain("Echo: private words");
    first.child.kill("SIGTERM");
    expect(await first.exit).toBe(0);
    const log = readFileSync(join(home, "data", "proxy", "requests.ndjson"), "utf8");
    expect(log).toContain('"route":"/v1/messages"');
    expect(log).not.toContain("private words");
    expect(log).not.toContain(key);
    const second = await start({ auth_mode: "strict" });
    expect(second.stderr()).not.toContain(key);
    expect((await fetch(`${second.url}/healthz`, { headers })).status).toBe(200);
    expect(statSync(join(home, "data", "proxy", "key")).mode & 0o777).toBe(0o600);
  });

  it("completes a stream on the first signal, and ends it on the second", async () => {
    const upstream = await startFakeUpstream(async (_hit, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('event: message_start\ndata: {"type":"message_start"}\n\n');
    });
    try {
      const { url, child, exit, stderr } = await start({
        upstreams: { a: { dialect: "messages", base_url: upstream.url } },
      });
      const ask = {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"model":"m","stream":true}',
      };
      const response = await fetch(`${url}/v1/messages`, ask);
      child.kill("SIGINT");
      await until(() => stderr().includes("Stopping:"));
      await expect(fetch(`${url}/v1/messages`, ask).then(({ status }) => status)).rejects.toThrow();
      expect(child.exitCode).toBeNull();
      child.kill("SIGINT");
      await expect(response.text()).rejects.toThrow();
      expect(await exit).toBe(130);
    } finally {
      await upstream.close();
    }
  });

  it("reads the configuration again when the file is saved", async () => {
    const upstream = await startFakeUpstream(events([]));
    try {
      const { url, stderr } = await start({});
      const file = join(home, "config.json");
      writeFileSync(file, '{"proxy": {"auth_mode": "sometimes"}}');
      await until(() => /the previous one stays in force.*proxy\.auth_mode/.test(stderr()));
      writeFileSync(file, '{"proxy": {"auth_mode": "strict", "api_keys": ["sk-0123456789abcdef"]}}');
      await until(() => stderr().includes("Configuration reloaded."));
      expect((await fetch(`${url}/healthz`)).status).toBe(401);
    } finally {
      await upstream.close();
    }
  });

  it("prints settings with their sources, keys by fingerprint, and models", () => {
    const file = join(home, "config.json");
    writeFileSync(file, '{"proxy": {\n"port": 1234,\n"api_keys": ["sk-secret-0123456789"]}}');
    const check = run("check", "--config", file);
    expect(check.stdout).toMatch(/port +1234 +file:2/);
    expect(check.stdout).toContain("listens on: 127.0.0.1, port 1234; keys not needed");
    expect(check.stdout + check.stderr).not.toContain("sk-secret");
    expect(run("keys", "--config", file).stdout).toMatch(/key 1 +sha256 [0-9a-f]{12}/);
    expect(run("models", "--config", file).stdout).toContain("echo");
    writeFileSync(
      file,
      JSON.stringify({
        proxy: {
          upstreams: { far: { dialect: "messages", base_url: "http://127.0.0.1:1" } },
          models: ["claude-*", "fast"].map((match) => ({ match, upstream: "far", model: "m" })),
        },
      }),
    );
    const models = run("models", "--config", file);
    expect(models.stdout).toMatch(/^fast +far +messages$/m);
    expect(models.stdout).not.toContain("claude-*");
    expect(models.stderr).toContain("The upstream far lists no models");
    expect(JSON.parse(run("check", "--json-schema").stdout)).toMatchObject({ type: "object" });
    const made = run("keys", "--new", "laptop");
    expect(made.stdout).toMatch(/^sk-sallyport-[\w-]{43}\n$/);
    expect(made.stderr).toContain('"sha256"');
    writeFileSync(file, '{"proxy": {"portt": 1}}');
    expect(run("check", "--config", file)).toMatchObject({ status: 2, stdout: "" });
  });
});
