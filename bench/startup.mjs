// Measures the start and the end of a review, and the start of the proxy: medians of spawned commands.
//   npm run build && npm run build:binary && node bench/startup.mjs [--rounds 21 | --short] [--before FILE]
// `--before` also measures the command of another build, such as dist/sallyport.js of an earlier version.
// Each round also measures bare `node -e 0`; compare the ratios to it. On Linux, it also measures the CPU time until
// the URL is printed, which depends least on other load.
import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { cpuOf } from "./proxy/subjects.mjs";
import { machine, median, middleHalf, table } from "./report.mjs";

const { values: flags } = parseArgs({
  options: { rounds: { type: "string" }, short: { type: "boolean" }, before: { type: "string" } },
});
const rounds = Number(flags.rounds ?? (flags.short ? 9 : 21));
const root = resolve(import.meta.dirname, "..");
const executable = join(root, `dist/bin/sallyport${process.platform === "win32" ? ".exe" : ""}`);
const subjects = {
  package: [process.execPath, join(root, "dist/sallyport.js")],
  ...(existsSync(executable) ? { executable: [executable] } : {}),
  ...(flags.before ? { before: [process.execPath, resolve(flags.before)] } : {}),
};
const PROXY_PORT = 18_960;
/** Measurements and their maximum ratio: 60, 120 and 250 ms where bare Node.js takes 45 ms. */
const cases = {
  version: { title: "`--version`, start to end", target: { executable: 1.33 } },
  plan: { title: "`review plan`, start to URL on stderr", target: { executable: 2.67, package: 5.56 } },
  code: { title: "`review code`, start to URL on stderr", target: { executable: 2.67, package: 5.56 } },
  proxy: { title: "`proxy start`, start to URL on stderr", target: {} },
  shown: { title: "`review plan`, start to the last byte of the page, requested immediately", target: {} },
  decision: { title: "decision to its response, after it is on disk", target: {} },
  exit: { title: "response to the end of the process", target: {} },
};
const folder = await mkdtemp(join(tmpdir(), "sallyport-bench-"));
const env = { PATH: process.env.PATH, HOME: folder, SERVICE_HOME: join(folder, "data") };
const repository = await makeRepository();
const bare = [];
const bareCpu = [];
const samples = {};
/** The arguments of a Node.js process that prints a URL like a review, and keeps running. */
const BARE = ["-e", "process.stderr.write('http://bare/ '); setTimeout(() => {}, 60_000)"];

try {
  for (const command of Object.values(subjects)) await warmUp(command);
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await timed(() => run([process.execPath, "-e", "0"])));
    bareCpu.push(await cpuOfBare());
    for (const [subject, command] of Object.entries(subjects)) await measure(subject, command, round);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log(`${machine()}; ${rounds} rounds\n`);
const titles = [
  "what",
  "subject",
  "median, ms:",
  "middle half, ms:",
  "of a bare node:",
  "target:",
  "CPU, ms:",
];
const first = ["a bare node, start to end", "node", ...figures(bare), "–", ...cpuFigures(bareCpu)];
console.log(table([...titles, "of a bare node's:"], [first, ...rows()]));

function rows() {
  return Object.entries(cases).flatMap(([name, { title, target }]) =>
    Object.keys(subjects).map((subject) => {
      const limit = target[subject] === undefined ? "–" : target[subject].toFixed(2);
      const cpu = cpuFigures(samples[`cpu-${name} ${subject}`]);
      return [title, subject, ...figures(samples[`${name} ${subject}`]), limit, ...cpu];
    }),
  );
}

function figures(values) {
  const value = median(values);
  return [value.toFixed(0), middleHalf(values), (value / median(bare)).toFixed(2)];
}

/**
 * Returns the lower quartile in milliseconds, because other load only adds to CPU time, and its ratio to that of bare
 * Node.js.
 */
function cpuFigures(values) {
  if (!values?.every(Number.isFinite)) return ["–", "–"];
  const of = (all) => all.toSorted((a, b) => a - b)[all.length >> 2];
  return [of(values).toFixed(0), (of(values) / of(bareCpu)).toFixed(2)];
}

/** Returns the CPU time of a process and all its threads in milliseconds; NaN on systems other than Linux. */
function cpuSoFar({ pid }) {
  return process.platform === "linux" ? cpuOf(pid) / 1_000 : Number.NaN;
}

async function cpuOfBare() {
  const child = spawn(process.execPath, BARE, { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
  await addressOf(child);
  const cpu = cpuSoFar(child);
  child.kill();
  await ended(child);
  return cpu;
}

/**
 * Runs each command for 1.5 s: the first start reads the program from disk, and only a run of at least one second saves
 * V8's compiled code.
 */
async function warmUp(command) {
  const reviews = [["plan"], ["code", "--repo", repository]].map(
    (args) => () => startReview([...command, "review", ...args], "# Plan\n\nWarm up.\n"),
  );
  for (const start of [...reviews, () => startProxy(command)]) {
    const child = start();
    await fetch(await addressOf(child));
    await delay(1_500);
    child.kill();
    await ended(child);
  }
}

async function measure(subject, command, round) {
  const add = (name, value) => {
    samples[`${name} ${subject}`] ??= [];
    samples[`${name} ${subject}`].push(value);
  };
  add("version", await timed(() => run([...command, "--version"])));
  const plan = await review([...command, "review", "plan"], `# Plan ${round}\n\nDo it.\n`, "/api/deny");
  const { url, cpu, ...rest } = plan;
  for (const [name, value] of Object.entries({ plan: url, "cpu-plan": cpu, ...rest })) add(name, value);
  const code = await review([...command, "review", "code", "--repo", repository], "", "/api/feedback");
  add("code", code.url);
  add("cpu-code", code.cpu);
  const proxy = await timeToAddress(() => startProxy(command));
  proxy.child.kill();
  await ended(proxy.child);
  add("proxy", proxy.url);
  add("cpu-proxy", proxy.cpu);
}

/** Starts a child. Resolves to its address, and the milliseconds and the CPU time until it printed it. */
async function timeToAddress(start) {
  const started = performance.now();
  const child = start();
  const address = await addressOf(child);
  return { child, started, address, url: performance.now() - started, cpu: cpuSoFar(child) };
}

function startProxy([program, ...args]) {
  return spawn(program, [...args, "proxy", "start", "--port", String(PROXY_PORT)], {
    cwd: folder,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
}

function startReview([program, ...args], input) {
  const child = spawn(program, [...args, "--no-open"], {
    cwd: folder,
    env,
    stdio: ["pipe", "ignore", "pipe"],
  });
  child.stdin.end(input);
  return child;
}

async function review(command, input, route) {
  const { child, started, address, url, cpu } = await timeToAddress(() => startReview(command, input));
  await (await fetch(address)).text();
  const shown = performance.now() - started;
  const decision = await timed(async () => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ feedback: "no", annotations: [] });
    const response = await fetch(`${address}${route}`, { method: "POST", headers, body });
    if (!response.ok) throw new Error(`${route} returned ${response.status}: ${await response.text()}`);
    await response.text();
  });
  const exit = await timed(() => ended(child));
  return { url, cpu, shown, decision, exit };
}

function addressOf(child) {
  return new Promise((found, fail) => {
    let output = "";
    child.stderr.on("data", (text) => {
      output += text;
      const match = /http:\/\/\S+(?=\s)/.exec(output);
      if (match) found(match[0]);
    });
    child.once("exit", (code) => fail(new Error(`it ended with ${code}: ${output}`)));
  });
}

async function makeRepository() {
  const path = await mkdtemp(join(folder, "repository-"));
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: path });
  git("init", "--quiet");
  await writeFile(join(path, "a.ts"), "export const a = 1;\n");
  git("add", ".");
  git("commit", "--quiet", "-m", "one");
  await writeFile(join(path, "a.ts"), "export const a = 2;\n");
  return path;
}

async function timed(task) {
  const started = performance.now();
  await task();
  return performance.now() - started;
}

function run([program, ...args]) {
  return ended(spawn(program, args, { cwd: folder, env, stdio: "ignore" }));
}

function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  return new Promise((done) => child.once("exit", done));
}
