// How long a person waits for a review to begin, and an agent for it to end: medians of spawned commands.
//   npm run build && node bench/review-startup.mjs [rounds]
// A bare `node -e 0` beside them says how fast the machine is at the moment; the ratio is what can be compared.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const rounds = Number(process.argv[2] ?? 11);
const command = resolve(import.meta.dirname, "../dist/sallyport.js");
const folder = await mkdtemp(join(tmpdir(), "sallyport-bench-"));
const environment = { PATH: process.env.PATH, HOME: folder, SERVICE_HOME: join(folder, "data") };

const times = { bare: [], url: [], page: [], decision: [], exit: [] };
for (let round = 0; round < rounds; round += 1) {
  times.bare.push(await bareNode());
  for (const [name, value] of Object.entries(await review(round))) times[name].push(value);
}
await rm(folder, { recursive: true, force: true });

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const bare = median(times.bare);
for (const [name, label] of [
  ["bare", "a bare node, start to end"],
  ["url", "spawn to URL on stderr"],
  ["page", "request for the page to its last byte"],
  ["decision", "decision to its answer (it is on disk by then)"],
  ["exit", "answer to the end of the process"],
]) {
  const value = median(times[name]);
  console.log(
    `${label.padEnd(48)} ${value.toFixed(0).padStart(5)} ms  ${(value / bare).toFixed(2).padStart(6)} × bare`,
  );
}

async function bareNode() {
  const started = performance.now();
  await ended(spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }));
  return performance.now() - started;
}

async function review(round) {
  const started = performance.now();
  const args = [command, "review", "plan", "--no-open"];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: environment,
    stdio: ["pipe", "ignore", "pipe"],
  });
  child.stdin.end(`# Plan ${round}\n\nDo it.\n`);
  const address = await new Promise((found) => {
    child.stderr.on("data", (text) => {
      const match = /http:\/\/\S+/.exec(text);
      if (match) found(match[0]);
    });
  });
  const url = performance.now() - started;
  const page = await timed(async () => (await fetch(address)).text());
  const decision = await timed(async () => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${address}/api/deny`, {
      method: "POST",
      headers,
      body: '{"feedback":"no"}',
    });
    await response.text();
  });
  const exit = await timed(() => ended(child));
  return { url, page, decision, exit };
}

async function timed(task) {
  const started = performance.now();
  await task();
  return performance.now() - started;
}

function ended(child) {
  return new Promise((done) => child.once("exit", done));
}
