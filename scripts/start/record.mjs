// Creates the code cache: runs the most common commands with the parts, and writes V8's compiled code to a file.
//   node scripts/start/record.mjs PARTS CACHE     in a temporary folder, which it does not delete
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Script } from "node:vm";
import { createLoader } from "./loader.mjs";

const [parts, cache] = process.argv.slice(2, 4).map((path) => resolve(path));
const folder = process.cwd();
const root = resolve(import.meta.dirname, "../..");
const examples = join(root, "examples");
const ready = join(folder, "ready.json");
const RESPONSE = JSON.stringify({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [{ type: "text", text: "Hello." }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
});
const scripts = new Map();
const load = createLoader({
  source: (name) => readFileSync(join(parts, name), "latin1"),
  cachedData: () => undefined,
  builtin: createRequire(import.meta.url),
  // Parts find the pages relative to this path, also those of the executable.
  folder: join(root, "dist/parts"),
  compiled: (name, script) => scripts.set(name, script),
});

process.argv = [process.execPath, process.execPath, "--version"];
load("main.cjs");
const { run } = load("run.cjs");
await run(["--help"]);
await review(["plan", join(examples, "plan.md")], ["/", "/api/plan", "/api/draft"], "/api/deny");
await review(["code", "--repo", changedRepository()], ["/", "/api/diff", "/api/draft"], "/api/feedback");
await proxy();
mkdirSync(cache, { recursive: true });
for (const name of readdirSync(parts)) {
  // Parts that did not run are compiled as far as V8 does by default.
  const script = scripts.get(name) ?? new Script(readFileSync(join(parts, name), "latin1"));
  writeFileSync(join(cache, name), script.createCachedData());
}

async function review(args, paths, decision) {
  const ended = run(["review", ...args, "--no-open", "--ready-file", ready]);
  const url = await urlOf(ended);
  for (const path of paths) await (await fetch(new URL(path, url))).arrayBuffer();
  await post(new URL(decision, url), { feedback: "no", annotations: [] });
  await expectSuccess(ended, args);
}

/** Makes a call in each lane, to a local upstream. */
async function proxy() {
  const upstream = createHttpServer((request, response) => {
    request
      .resume()
      .once("end", () => response.writeHead(200, { "content-type": "application/json" }).end(RESPONSE));
  });
  const base_url = `http://127.0.0.1:${await portOf(upstream)}`;
  const config = join(folder, "config.json");
  const rules = {
    upstreams: { a: { dialect: "messages", base_url } },
    models: [{ match: "*", upstream: "a" }],
  };
  writeFileSync(config, JSON.stringify({ proxy: rules }));
  const { ended, url } = await startedProxy(config);
  for (const path of ["/healthz", "/", "/v1/models"]) await (await fetch(new URL(path, url))).arrayBuffer();
  const messages = [{ role: "user", content: "Hello." }];
  for (const path of ["/v1/messages", "/v1/chat/completions"])
    await post(new URL(path, url), { model: "m", max_tokens: 9, messages });
  process.kill(process.pid, "SIGTERM");
  await ended;
  upstream.close();
}

/** Starts the proxy on a free port; tries another port if it has been taken in the meantime. */
async function startedProxy(config) {
  for (let attempt = 1; ; attempt += 1) {
    const port = String(await freePort());
    const ended = run(["proxy", "start", "--config", config, "--port", port, "--ready-file", ready]);
    try {
      return { ended, url: await urlOf(ended) };
    } catch (error) {
      if (attempt === 5) throw error;
    }
  }
}

async function post(url, body) {
  const response = await fetch(url, asJson(body));
  const text = await response.text();
  if (!response.ok) throw new Error(`${url.pathname} answered ${response.status}: ${text}`);
}

function asJson(body) {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

async function expectSuccess(ended, args) {
  const code = await ended;
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}`);
}

/** Resolves to the URL of a started command once its ready file exists, and deletes the file. */
async function urlOf(ended) {
  let code;
  ended.then((exitCode) => {
    code = exitCode;
  });
  while (!existsSync(ready)) {
    if (code !== undefined) throw new Error(`It ended with ${code} before it listened`);
    await delay(10);
  }
  const { url } = JSON.parse(readFileSync(ready, "utf8"));
  rmSync(ready);
  return url;
}

function changedRepository() {
  const repository = join(folder, "repository");
  mkdirSync(repository);
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: repository });
  git("init", "--quiet");
  writeFileSync(join(repository, "a.ts"), "export const a = 1;\n");
  git("add", ".");
  git("commit", "--quiet", "-m", "one");
  writeFileSync(join(repository, "a.ts"), "export const a = 2;\n");
  return repository;
}

async function freePort() {
  const server = createServer();
  const port = await portOf(server);
  await new Promise((closed) => server.close(closed));
  return port;
}

function portOf(server) {
  return new Promise((found) => server.listen(0, "127.0.0.1", () => found(server.address().port)));
}
