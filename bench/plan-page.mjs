// Measures the size of the plan page and the time until its text is shown, in Chromium.
//   npm run build && node bench/plan-page.mjs [rounds]
// A JSON response of the same server, which the browser shows as text, stands for an empty page and measures the
// browser's own share.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { findChromium } from "../scripts/chromium.mjs";
import { urlIn } from "../scripts/ready-url.mjs";
import { median } from "./report.mjs";

const rounds = Number(process.argv[2] ?? 7);
const root = resolve(import.meta.dirname, "..");
const folder = await mkdtemp(join(tmpdir(), "sallyport-bench-"));
const ready = join(folder, "ready.json");
const child = spawn(
  process.execPath,
  [
    join(root, "dist/sallyport.js"),
    "review",
    "plan",
    "--no-open",
    "--ready-file",
    ready,
    join(root, "examples/plan.md"),
  ],
  {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, SERVICE_HOME: join(folder, "data") },
    stdio: "ignore",
  },
);
const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-sync",
];
const browser = await chromium.launch({ executablePath: findChromium(), args: flags });
const url = `${await urlIn(ready)}/`;

const visits = [];
for (let round = 0; round < rounds; round += 1) visits.push(await visit());
const { files } = visits[0];
const isHighlighter = ({ path }) => /\/(highlight|common)-/.test(path);
// Diagrams are drawn in a separate frame.
const page = files.filter(({ isFramed }) => !isFramed);
const print = (label, value, unit) =>
  console.log(`${label.padEnd(34)} ${value.toFixed(0).padStart(5)} ${unit}`);
const weight = (list) => list.reduce((total, { gzip }) => total + gzip, 0) / 1000;
print("gzip of the page", weight(page.filter((file) => !isHighlighter(file))), "kB");
print("gzip with the code highlighter", weight(page), "kB");
print("gzip with the diagram library", weight(files), "kB");
print("navigation to text, median", median(visits.map(({ text }) => text)), "ms");
print("navigation to a usable page", median(visits.map(({ ready }) => ready)), "ms");
print("navigation to an empty page", median(visits.map(({ empty }) => empty)), "ms");

await browser.close();
child.kill("SIGTERM");
// The review still saves its state when it ends.
await once(child, "close");
await rm(folder, { recursive: true, force: true });

/** Measures one visit with an empty cache. */
async function visit() {
  const context = await browser.newContext();
  const page = await context.newPage();
  const responses = [];
  page.on("response", (response) => {
    // The event stream never ends, so its body cannot be read.
    if (!response.url().endsWith("/api/events")) responses.push(response);
  });
  await page.goto(`${url}api/agents`);
  const empty = await page.evaluate(() => performance.getEntriesByType("navigation")[0].duration);
  responses.length = 0;
  await page.addInitScript(() => {
    const look = () => {
      if (!document.querySelector(".plan .markdown p")) return requestAnimationFrame(look);
      requestAnimationFrame(() => setTimeout(() => Object.assign(window, { __visible: performance.now() })));
    };
    const watch = () => {
      if (!document.querySelector(".page[data-view] .plan .markdown p")) return requestAnimationFrame(watch);
      requestAnimationFrame(() => setTimeout(() => Object.assign(window, { __ready: performance.now() })));
    };
    look();
    watch();
  });
  await page.goto(url);
  await page.waitForFunction(() => "__visible" in window);
  const text = await page.evaluate(() => window.__visible);
  await page.waitForFunction(() => "__ready" in window);
  const ready = await page.evaluate(() => window.__ready);
  await page.locator(".plan .diagram img").waitFor();
  const files = await Promise.all(
    responses.map(async (response) => ({
      path: new URL(response.url()).pathname,
      gzip: gzipSync(await response.body().catch(() => "")).length,
      isFramed: response.frame() !== page.mainFrame(),
    })),
  );
  await context.close();
  return { files, text, ready, empty };
}
