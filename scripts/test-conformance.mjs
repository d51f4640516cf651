// Runs the conformance suites against the built proxy and writes their results into docs/conformance.md:
//   npm run test:conformance [-- --only open-responses,llmprobe,mcp,aimock,python] [-- --no-write]
// The suites are installed on demand below .cache/conformance; they are not dependencies of the project.
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { runOpenResponses, testIds } from "./conformance/open-responses.mjs";
import { startRecallingUpstream } from "./conformance/recalling-upstream.mjs";
import { urlIn } from "./ready-url.mjs";

const root = resolve(import.meta.dirname, "..");
const cache = process.env.SALLYPORT_CONFORMANCE ?? resolve(root, ".cache/conformance");
const command = resolve(root, "dist/sallyport.js");
const page = resolve(root, "docs/conformance.md");
const VERSIONS = {
  llmprobe: "0.6.12",
  "@copilotkit/aimock": "1.43.0",
  "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
  "@modelcontextprotocol/node": "2.1.2",
  "@modelcontextprotocol/server": "2.4.0",
  "@modelcontextprotocol/server-everything": "2026.8.31",
};
/** Versions of the SDKs for Python, which are installed into a virtual environment. */
const PYTHON = { openai: "3.22.1", anthropic: "1.13.0", "google-genai": "2.25.0" };
const REVISIONS = ["2026-07-28", "2025-11-25"];
/** The version to install for the MCP suite, which needs functions that Node.js 20 lacks. */
const NODE_22 = "22.23.3";
const API_KEY = "sk-conformance-0123456789abcdef";
const DIALECTS = ["chat-completions", "responses", "messages", "generative-language"];
const SHORT = {
  "chat-completions": "chat",
  responses: "responses",
  messages: "messages",
  "generative-language": "google",
};

/** Checks of features that a dialect lacks; the proxy reports them as losses, which llmprobe does not read. */
const ABSENT = { messages: /: logprobs: / };

const { values: options } = parseArgs({
  options: { only: { type: "string" }, "no-write": { type: "boolean" } },
});
const SUITES = {
  "open-responses": openResponses,
  llmprobe: probe,
  mcp: modelContext,
  aimock: independent,
  python,
};
const wanted = options.only?.split(",") ?? Object.keys(SUITES);
const folder = mkdtempSync(join(tmpdir(), "conformance-"));
const processes = [];
const servers = [];
let echoes;
const report = (text) => process.stderr.write(`${text}\n`);

try {
  install();
  const rows = [];
  for (const name of wanted) {
    if (!(name in SUITES)) throw new Error(`Unknown suite ${name}. Known: ${Object.keys(SUITES).join(", ")}`);
    report(`\n${name}`);
    for (const row of await SUITES[name]()) {
      rows.push(row);
      report(`  ${row.target}: ${row.result}${row.isPassed ? "" : "  ✗"}`);
      for (const detail of row.details ?? []) report(`    ${detail}`);
    }
  }
  if (!options["no-write"]) writePage(rows);
  process.exitCode = rows.every(({ isPassed }) => isPassed) ? 0 : 1;
} finally {
  // The proxies write their last files when they stop.
  const running = processes.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  const stopped = running.map((child) => once(child, "exit"));
  for (const child of running) child.kill();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await Promise.all(stopped);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

function install() {
  const missing = Object.entries(VERSIONS).filter(([name, version]) => installedVersion(name) !== version);
  if (missing.length === 0) return;
  mkdirSync(cache, { recursive: true });
  if (!existsSync(join(cache, "package.json")))
    writeFileSync(join(cache, "package.json"), '{"private":true}\n');
  const packages = missing.map(([name, version]) => `${name}@${version}`);
  report(`Installing ${packages.join(", ")} …`);
  npm(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...packages], cache);
}

function installedVersion(name) {
  const path = join(cache, "node_modules", name, "package.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).version : undefined;
}

function npm(args, cwd) {
  execFileSync("npm", args, { cwd, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
}

/**
 * Returns the interpreter of a virtual environment with the SDKs. Throws an error that names the missing packages.
 */
function pythonWithSdks() {
  const folder = join(cache, "python");
  const program = join(folder, process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
  const wanted = Object.entries(PYTHON).map(([name, version]) => `${name}==${version}`);
  const list = 'import importlib.metadata as m, sys; print(*(f"{n}=={m.version(n)}" for n in sys.argv[1:]))';
  try {
    const found = execFileSync(program, ["-c", list, ...Object.keys(PYTHON)], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    if (found.toString().trim() === wanted.join(" ")) return program;
  } catch {
    // The interpreter is not installed yet.
  }
  report(`Installing ${wanted.join(", ")} …`);
  const stdio = ["ignore", 2, 2];
  try {
    execFileSync(process.platform === "win32" ? "python" : "python3", ["-m", "venv", folder], { stdio });
    execFileSync(program, ["-m", "pip", "install", "--quiet", ...wanted], { stdio });
  } catch (cause) {
    const how = "Debian and Ubuntu: apt-get install python3 python3-venv; macOS: brew install python";
    throw new Error(`The SDKs for Python need Python 3.10 or later with venv, and PyPI. ${how}`, { cause });
  }
  return program;
}

/** Returns the path of a Node.js of version 22 or later, and installs one if necessary. */
function newerNode() {
  if (Number(process.versions.node.split(".")[0]) >= 22) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const program = join(cache, "node_modules", name, "bin/node");
  if (!existsSync(program))
    npm(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--force", `${name}@${NODE_22}`], cache);
  return program;
}

/** Starts a proxy with these settings. Resolves with its URL. */
async function startProxy(name, settings) {
  const home = join(folder, name);
  mkdirSync(home, { recursive: true });
  const config = join(home, "config.json");
  const ready = join(home, "ready.json");
  writeFileSync(
    config,
    JSON.stringify({ proxy: { database: "none", auth_mode: "off", responses_done: true, ...settings } }),
  );
  const port = String(await freePort());
  const args = [command, "proxy", "start", "--port", port, "--config", config, "--ready-file", ready];
  start(process.execPath, args, {
    ...process.env,
    SERVICE_HOME: home,
    ANTHROPIC_API_KEY: "",
    OPENAI_API_KEY: "",
    GEMINI_API_KEY: "",
    GOOGLE_API_KEY: "",
    OPENROUTER_API_KEY: "",
  });
  return urlIn(ready);
}

function start(program, args, env = process.env, cwd = undefined) {
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"], env, cwd });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors = (errors + chunk).slice(-4_000);
  });
  child.once("exit", (code, signal) => {
    if (signal === null && code !== 0) report(`${program} exited with ${code}:\n${errors}`);
  });
  processes.push(child);
  return child;
}

/** Starts the echo, and a proxy with an upstream of each dialect, for which the echo responds. */
function startEchoes() {
  echoes ??= (async () => {
    const echo = await startProxy("echo", {});
    return { echo, proxy: await startProxy("proxy", { upstreams: echoUpstreams(echo) }) };
  })();
  return echoes;
}

/** Returns an upstream of each dialect at this address. */
function echoUpstreams(url) {
  return Object.fromEntries(
    DIALECTS.map((dialect) => [
      SHORT[dialect],
      { dialect, base_url: url, api_key: API_KEY, models: ["echo"] },
    ]),
  );
}

/** Returns the name of a route through the proxy for clients of a dialect. */
function wayOf(client, upstream) {
  return client === upstream ? `native (${SHORT[client]})` : `${SHORT[client]} → ${SHORT[upstream]}`;
}

async function openResponses() {
  const { echo, proxy } = await startEchoes();
  const targets = [
    { target: "echo", baseUrl: `${echo}/v1`, model: "echo" },
    ...DIALECTS.map((dialect) => ({
      target: wayOf("responses", dialect),
      baseUrl: `${proxy}/v1`,
      model: `${SHORT[dialect]}/echo`,
    })),
  ];
  const rows = [];
  for (const { target, baseUrl, model } of targets) {
    const results = await runOpenResponses({ baseUrl, apiKey: API_KEY, model });
    const failed = results.filter(({ errors }) => errors.length > 0);
    rows.push({
      suite: "Open Responses",
      version: "2026-04-24",
      target,
      result: `${results.length - failed.length} of ${testIds.length}`,
      isPassed: failed.length === 0,
      details: failed.flatMap(({ id, errors }) => errors.slice(0, 3).map((error) => `${id}: ${error}`)),
    });
  }
  return rows;
}

async function probe() {
  const { echo } = await startEchoes();
  const alone = await runProbe("echo", echo, "echo");
  const recalling = await startRecallingUpstream(echo);
  servers.push(recalling);
  const proxy = await startProxy("recalling", {
    upstreams: echoUpstreams(`http://127.0.0.1:${recalling.address().port}`),
  });
  const rows = [{ ...alone, isPassed: alone.share >= 0.99 }];
  for (const dialect of DIALECTS) {
    const row = await runProbe(`upstream of ${SHORT[dialect]}`, proxy, `${SHORT[dialect]}/echo`);
    const lost = ABSENT[dialect];
    const isLossOnly = row.details.every((detail) => lost?.test(detail) === true);
    const verdict = row.details.length > 0 && isLossOnly ? "passed except for a [loss](#suites)" : undefined;
    rows.push({ ...row, verdict, isPassed: row.share >= alone.share || isLossOnly });
  }
  return rows;
}

async function runProbe(target, url, model) {
  const file = join(folder, `probe-${model.replace(/\W/g, "-")}.json`);
  const program = join(cache, "node_modules/llmprobe/bin/dist/llmprobe.mjs");
  const args = [program, `${url}/v1`, "-k", API_KEY, "-m", model, "--no-bench", "--no-save", "--save", file];
  // The exit code only reports whether there were failures; the report lists them.
  await promisify(execFile)(process.execPath, args, { env: { ...process.env, HOME: folder } }).catch(
    () => {},
  );
  const { conformance } = JSON.parse(readFileSync(file, "utf8"));
  const { passed, total, results } = conformance;
  const failed = results.flatMap(({ name, failures }) =>
    failures.filter(({ severity }) => severity === "MUST").map(({ message }) => `${name}: ${message}`),
  );
  return {
    suite: "llmprobe (MUST)",
    version: VERSIONS.llmprobe,
    target,
    result: `${passed} of ${total} (${((100 * passed) / total).toFixed(1)} %)`,
    share: passed / total,
    details: failed,
  };
}

async function modelContext() {
  const node = newerNode();
  const fixture = resolve(import.meta.dirname, "conformance/mcp-server.mjs");
  const everything = join(cache, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  const port = await freePort();
  start(process.execPath, [fixture, String(port)], process.env, cache);
  const url = `http://127.0.0.1:${port}/mcp`;
  await untilOpen(port);
  // The scenarios call tools by names without a prefix, so the gateway adds a prefix only to those of the
  // second server.
  const mcp = {
    fixture: { enabled: true, url, prefix: "" },
    everything: { command: process.execPath, args: [everything, "stdio"] },
  };
  const proxy = await startProxy("mcp", { mcp, mcp_gateway: { list_timeout: 30 } });
  const targets = { relay: `${proxy}/mcp/fixture/mcp`, gateway: `${proxy}/mcp` };
  const rows = [];
  for (const revision of REVISIONS) {
    const direct = await runScenarios(node, url, revision);
    const sum = (each, member) =>
      Object.values(each).reduce((total, one) => total + (one.isScored ? one[member] : 0), 0);
    for (const [target, address] of Object.entries(targets)) {
      const results = await runScenarios(node, address, revision);
      const names = Object.keys(direct);
      // Some checks do not apply: the gateway responds to lists with JSON, so there is no event stream to check.
      const worse = names.filter((name) => {
        const { passed = 0, failed = 1 } = results[name] ?? {};
        return failed > direct[name].failed || (passed === 0 && direct[name].passed > 0);
      });
      const passed = sum(results, "passed");
      rows.push({
        suite: `MCP, requirements ${revision}`,
        version: VERSIONS["@modelcontextprotocol/conformance"],
        target,
        result: `${passed} of ${passed + sum(results, "failed")} checks; ${sum(direct, "passed")} by the server alone`,
        isPassed: passed > 0 && sum(results, "failed") === 0 && worse.length === 0,
        details: worse.map((name) => `${name}: fails fewer checks without the ${target}`),
      });
    }
  }
  return rows;
}

/**
 * Runs the scenarios of a revision. Returns the checks of each scenario: passed, failed, and whether the
 * revision requires them.
 */
async function runScenarios(node, url, revision) {
  const output = mkdtempSync(join(folder, "mcp-"));
  const program = join(cache, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
  const args = [
    program,
    "server",
    "--url",
    url,
    "--requirements",
    revision,
    "-o",
    output,
    "--timeout",
    "15000",
  ];
  const { stdout } = await promisify(execFile)(node, args, { maxBuffer: 64 * 1024 * 1024 }).catch(
    (error) => error,
  );
  const results = {};
  for (const line of String(stdout).split("\n")) {
    const match = /^[✓✗] ([\w/-]+): (\d+) passed, (\d+) failed/u.exec(line);
    if (match) results[match[1]] = { passed: Number(match[2]), failed: Number(match[3]), isScored: true };
    // Extensions, and scenarios that are newer than the revision.
    const other = /^ {2}[✓✗] ([\w/-]+) \(/u.exec(line);
    if (other && results[other[1]]) results[other[1]].isScored = false;
  }
  return results;
}

async function independent() {
  const port = await freePort();
  const fixtures = join(folder, "fixtures.json");
  const text = { match: {}, response: { content: "Four plain words here." } };
  const weather = {
    match: { userMessage: "eather" },
    response: { toolCalls: [{ name: "get_weather", arguments: '{"location":"San Francisco"}' }] },
  };
  const afterTool = { match: { toolCallId: "" }, response: { content: "It is 18 degrees." } };
  writeFileSync(fixtures, JSON.stringify({ fixtures: [weather, text, afterTool] }));
  const program = join(cache, "node_modules/@copilotkit/aimock/dist/cli.js");
  start(process.execPath, [program, "-p", String(port), "-f", fixtures, "--log-level", "silent"]);
  await untilOpen(port);
  const upstreams = Object.fromEntries(
    DIALECTS.map((dialect) => [
      SHORT[dialect],
      { dialect, base_url: `http://127.0.0.1:${port}`, api_key: API_KEY, models: ["mock"] },
    ]),
  );
  const proxy = await startProxy("aimock", { upstreams });
  const ids = ["basic-response", "streaming-response", "system-prompt", "tool-calling", "multi-turn"];
  const rows = [];
  for (const dialect of DIALECTS) {
    const target = { baseUrl: `${proxy}/v1`, apiKey: API_KEY, model: `${SHORT[dialect]}/mock` };
    const results = await runOpenResponses(target, ids);
    const failed = results.filter(({ errors }) => errors.length > 0);
    const isNative = dialect === "responses";
    rows.push({
      suite: "Open Responses, aimock as the upstream",
      version: VERSIONS["@copilotkit/aimock"],
      target: wayOf("responses", dialect),
      result: `${results.length - failed.length} of ${ids.length}${isNative ? ", because the proxy relays aimock's responses" : ""}`,
      // In the native lane, the proxy returns the upstream's bytes unchanged.
      isPassed: isNative || failed.length === 0,
      verdict: isNative ? "not judged" : undefined,
      details: failed.flatMap(({ id, errors }) => errors.slice(0, 3).map((error) => `${id}: ${error}`)),
    });
  }
  return rows;
}

/** Calls each dialect with its vendor's SDK for Python, on every route through the proxy. */
async function python() {
  let program;
  try {
    program = pythonWithSdks();
  } catch (error) {
    // The other suites need no Python.
    if (options.only !== undefined) throw error;
    report(`  not run: ${error.message}`);
    return [];
  }
  const { echo, proxy } = await startEchoes();
  const models = DIALECTS.map((dialect) => [SHORT[dialect], `${SHORT[dialect]}/echo`]);
  const targets = Object.fromEntries(models);
  const script = resolve(import.meta.dirname, "conformance/python-clients.py");
  const child = spawn(program, [script], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify({ echo, proxy, key: API_KEY, targets }));
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`python-clients.py ended with ${code}`);
  const results = output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const versions = Object.entries(PYTHON).map(([name, version]) => `${name} ${version}`);
  return ["chat", "responses", "messages", "google", "other"].map((family) => {
    const own = results.filter(({ target }) => target.startsWith(`${family}:`));
    const failed = own.filter(({ error }) => error !== null);
    return {
      suite: "SDKs for Python",
      version: versions.join(", "),
      target: family === "other" ? "lists, media and errors" : `${family} → echo and every dialect`,
      result: `${own.length - failed.length} of ${own.length}`,
      isPassed: own.length > 0 && failed.length === 0,
      details: failed.map(({ target, case: name, error }) => `${target}, ${name}: ${error}`),
    };
  });
}

function freePort() {
  return new Promise((done, fail) => {
    const server = createServer().once("error", fail);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

async function untilOpen(port) {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    const isOpen = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (isOpen) return;
    await delay(25);
  }
  throw new Error(`Nothing listens on port ${port} after 10 s`);
}

/** Replaces the table in the documentation; rows of suites that did not run stay. */
function writePage(rows) {
  const text = readFileSync(page, "utf8");
  const [before, rest] = text.split("<!-- results -->\n");
  const [table, after] = rest.split("<!-- end -->");
  const suites = new Set(rows.map(({ suite }) => suite));
  const kept = table.split("\n").filter((line) => line.startsWith("| ") && !isOf(line, suites));
  const lines = rows.map(
    ({ suite, version, target, result, isPassed, verdict = isPassed ? "passed" : "not passed" }) =>
      `| ${suite} | ${version} | ${target} | ${result} | ${verdict} |`,
  );
  const head = ["| suite | version | target | result | |", "|---|---|---|---|---|"];
  const body = kept.filter((line) => !line.startsWith("| suite"));
  // The new rows take the position of the first row that they replace.
  const old = table.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| suite"));
  const first = old.findIndex((line) => isOf(line, suites));
  body.splice(
    first < 0 ? body.length : old.slice(0, first).filter((line) => !isOf(line, suites)).length,
    0,
    ...lines,
  );
  writeFileSync(page, `${before}<!-- results -->\n${[...head, ...body].join("\n")}\n<!-- end -->${after}`);
}

function isOf(line, suites) {
  return suites.has(line.split("|")[1]?.trim());
}
