// Measures live reviews: commands, the time until a finding is on the page, memory of open reviews, the inbox, and
// 1,000 threads.
//   node bench/live-reviews.mjs [--reviews 50] [--threads 1000] [--messages 10000]
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { findChromium } from "../scripts/chromium.mjs";
import { machine } from "./report.mjs";

const { values: flags } = parseArgs({
  options: {
    reviews: { type: "string", default: "50" },
    threads: { type: "string", default: "1000" },
    messages: { type: "string", default: "10000" },
  },
});
const [REVIEWS, THREADS, MESSAGES] = [flags.reviews, flags.threads, flags.messages].map(Number);
const command = resolve(import.meta.dirname, "../dist/sallyport.js");
const home = mkdtempSync(join(tmpdir(), "live-reviews-"));
const data = join(home, "data");
const env = { PATH: process.env.PATH, HOME: home, SERVICE_HOME: data, SERVICE_BROWSER: "none" };
const rows = [];
const shop = makeRepository("shop", 400);
const browser = await chromium.launch({
  executablePath: findChromium(),
  args: ["--no-sandbox", "--disable-gpu"],
});

try {
  console.log(`${machine()}\n`);
  const review = openReview(shop);
  await commands();
  await findingOnPage(review);
  await manyThreads(review);
  run(shop, "end", "--id", review.id);
  await manyReviews();
  console.log("| figure | target | p50 | worst |\n|---|---|---|---|");
  for (const row of rows) console.log(`| ${row.join(" | ")} |`);
} finally {
  await browser.close();
  endAll();
  rmSync(home, { recursive: true, force: true, maxRetries: 3 });
}

/** Measures the time of the commands from start to exit. */
async function commands() {
  const [thread] = [run(shop, "comment", "src/file.ts:3", "--text", "First.")];
  const lines = {
    comment: ["comment", "src/file.ts:5", "--text", "A finding."],
    reply: ["reply", thread, "--text", "A reply."],
    list: ["list", "--json"],
  };
  for (const [name, args] of Object.entries(lines)) {
    const times = repeat(20, () => timed(() => run(shop, ...args)));
    rows.push([`\`review ${name}\`, process time`, "120 ms", ...summary(times)]);
  }
}

/** Measures the time from a request that adds a finding until the finding is on the page. */
async function findingOnPage({ url, token }) {
  const page = await openPage(url);
  await page.evaluate(() => {
    globalThis.seen = new Map();
    const look = () => {
      for (const [, text] of document.body.textContent.matchAll(/(finding-\d+-here)/g))
        if (!globalThis.seen.has(text)) globalThis.seen.set(text, performance.timeOrigin + performance.now());
    };
    new MutationObserver(look).observe(document.body, {
      childList: true,
      subtree: true,
      characterData: true,
    });
  });
  const times = [];
  for (let index = 0; index < 20; index += 1) {
    const markdown = `finding-${index}-here`;
    const anchor = { kind: "lines", path: "src/file.ts", side: "new", lineStart: 2, lineEnd: 2 };
    const began = performance.timeOrigin + performance.now();
    await call(url, token, "/api/threads", { anchor, type: "finding", markdown });
    await page.waitForFunction((text) => globalThis.seen.has(text), markdown);
    times.push((await page.evaluate((text) => globalThis.seen.get(text), markdown)) - began);
  }
  rows.push(["a finding, from the request to the page", "50 ms", ...summary(times)]);
  await page.close();
}

/** Measures the page with many threads and messages, the time of a key press on it, and the memory of its review. */
async function manyThreads({ url, token, pid }) {
  const few = await timeToUse(url);
  for (let index = 0; index < THREADS; index += 1) {
    const line = 1 + (index % 400);
    const anchor = { kind: "lines", path: "src/file.ts", side: "new", lineStart: line, lineEnd: line };
    const { id } = await call(url, token, "/api/threads", {
      anchor,
      type: "finding",
      markdown: `Thread ${index}`,
    });
    for (let message = 1; message < MESSAGES / THREADS; message += 1)
      await call(url, token, `/api/threads/${id}/messages`, { markdown: `Message ${message} of ${index}` });
  }
  const many = await timeToUse(url);
  rows.push(["page usable, few threads", "–", ...summary(few)]);
  rows.push([`page usable, ${THREADS} threads, ${MESSAGES} messages`, "as before", ...summary(many)]);
  const page = await openPage(url);
  await page.waitForTimeout(2_000);
  const keys = [];
  for (let index = 0; index < 20; index += 1) {
    keys.push(
      await page.evaluate(
        () =>
          new Promise((done) => {
            const began = performance.now();
            document.body.dispatchEvent(
              new KeyboardEvent("keydown", { key: "N", bubbles: true, shiftKey: true }),
            );
            requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
          }),
      ),
    );
  }
  rows.push([`next thread (\`N\`), ${THREADS} threads`, "–", ...summary(keys)]);
  rows.push([`memory of the review, ${THREADS} threads`, "–", `${megabytes([pid])[0]} MB`, "–"]);
  await page.close();
}

/** Measures the memory of many reviews, and the first paint of an inbox with all of them. */
async function manyReviews() {
  const open = [];
  for (let index = 0; index < REVIEWS; index += 1) open.push(openReview(makeRepository(`r${index}`, 20)));
  const used = megabytes(open.map(({ pid }) => pid));
  rows.push([
    `memory of each of ${REVIEWS} open reviews`,
    "80 MB",
    `${median(used)} MB`,
    `${Math.max(...used)} MB`,
  ]);
  const ready = join(home, "inbox.json");
  const inbox = spawn(
    process.execPath,
    [command, "inbox", "--no-open", "--port", "0", "--ready-file", ready],
    {
      env,
      stdio: "ignore",
    },
  );
  try {
    const url = await until(() => JSON.parse(readFileSync(ready, "utf8")).url);
    const times = [];
    for (let index = 0; index < 10; index += 1) {
      const page = await browser.newPage();
      await page.goto(url);
      await page.getByText("Review of r0").first().waitFor();
      times.push(
        await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0),
      );
      await page.close();
    }
    rows.push([`inbox with ${REVIEWS} reviews, first contentful paint`, "200 ms", ...summary(times)]);
  } finally {
    inbox.kill("SIGKILL");
  }
}

async function timeToUse(url) {
  const times = [];
  for (let index = 0; index < 5; index += 1) {
    const began = performance.now();
    const page = await openPage(url);
    times.push(performance.now() - began);
    await page.close();
  }
  return times;
}

async function openPage(url) {
  const page = await browser.newPage();
  await page.goto(url);
  await page.locator(".header button").first().waitFor();
  await page.locator(".row .code-text").first().waitFor();
  return page;
}

function makeRepository(name, lines) {
  const folder = join(home, name);
  mkdirSync(join(folder, "src"), { recursive: true });
  execFileSync("git", ["init", "--quiet", folder]);
  const text = Array.from({ length: lines }, (_, index) => `export const value${index} = ${index};\n`).join(
    "",
  );
  writeFileSync(join(folder, "src/file.ts"), text);
  return folder;
}

function openReview(folder) {
  const { id, url } = JSON.parse(run(folder, "code", "--live", "--detach", "--no-open"));
  const { token, pid } = JSON.parse(readFileSync(join(data, "running", `${id}.json`), "utf8"));
  return { id, url, token, pid };
}

function run(cwd, ...args) {
  const options = { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] };
  return execFileSync(process.execPath, [command, "review", ...args], options).trim();
}

async function call(url, token, path, body) {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
  return response.json();
}

/**
 * Returns the proportional set size of each process in MB: a memory page that several processes share counts once in
 * their sum.
 */
function megabytes(pids) {
  return pids.map((pid) => {
    const kilobytes = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
    return Math.round(Number(kilobytes) / 1024);
  });
}

function endAll() {
  for (const name of readdirSync(join(data, "running"))) {
    try {
      process.kill(JSON.parse(readFileSync(join(data, "running", name), "utf8")).pid, "SIGKILL");
    } catch {
      // The process has already ended.
    }
  }
}

async function until(read) {
  for (;;) {
    try {
      return read();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

function repeat(times, measure) {
  return Array.from({ length: times }, measure);
}

function timed(work) {
  const began = performance.now();
  work();
  return performance.now() - began;
}

function median(values) {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)];
}

function summary(times) {
  return [`${median(times).toFixed(0)} ms`, `${Math.max(...times).toFixed(0)} ms`];
}
