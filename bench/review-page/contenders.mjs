// Starts each review page, and names the selectors of its diff.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const root = resolve(import.meta.dirname, "../..");

/** `program` is the path of a build's `sallyport.js`. */
export const createSallyport = (name, program) => ({
  name,
  text: ".row .code-text",
  token: ".row .code-text [class^='t-']",
  /** Present once the page reacts to mouse and keyboard. */
  usable: ".header button",
  scroller: ".diff",
  type: openAndType,
  start: (repository, timeout) =>
    startServer(
      [program, "review", "code", "--no-open"],
      repository,
      timeout,
      compiledCode(program, repository),
    ),
});

export const sallyport = createSallyport("sallyport", join(root, "dist/sallyport.js"));

/** The compiled code of each program, as folders. */
const compiled = new Map();

/**
 * Returns a folder with V8's compiled code of a program, as every start but the first finds it. Only a review of at
 * least one second saves it.
 */
function compiledCode(program, repository) {
  const making = compiled.get(program) ?? compileCode(program, repository);
  compiled.set(program, making);
  return making;
}

async function compileCode(program, repository) {
  const folder = mkdtempSync(join(tmpdir(), "review-page-code-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const server = await startServer([program, "review", "code", "--no-open"], repository, 60_000);
  await fetch(server.url);
  await delay(1_500);
  server.child.kill("SIGTERM");
  await once(server.child, "exit");
  const found = join(server.home, "code-cache");
  if (existsSync(found)) cpSync(found, folder, { recursive: true });
  server.stop();
  return folder;
}

/** `program` is the path of difit's command. */
export function difit(program) {
  return {
    name: "difit",
    text: "td .token",
    token: "td .token:not(.plain)",
    usable: "header button",
    scroller: "main",
    start: (repository, timeout) => startServer([program, ".", "--no-open"], repository, timeout),
  };
}

/**
 * Starts a review with an empty data directory, except for the compiled code. Resolves to its URL, its process, its
 * data directory and a function that ends it; rejects after `timeout` milliseconds.
 */
async function startServer(args, repository, timeout, code) {
  const home = mkdtempSync(join(tmpdir(), "review-page-"));
  if (code) cpSync(await code, join(home, "code-cache"), { recursive: true });
  const started = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: repository,
    env: { ...process.env, SERVICE_HOME: home, SERVICE_BROWSER: "none", NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = () => {
    child.kill("SIGKILL");
    rmSync(home, { recursive: true, force: true });
  };
  return new Promise((done, fail) => {
    let output = "";
    const late = setTimeout(() => {
      stop();
      fail(new Error(`no URL within ${timeout} ms: ${output.slice(-400)}`));
    }, timeout);
    const read = (chunk) => {
      output += chunk;
      const url = /http:\/\/[\w.]+:\d+/.exec(output)?.[0];
      if (!url) return;
      clearTimeout(late);
      done({ url, home, child, pid: child.pid, stop, ready: Math.round(performance.now() - started) });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => {
      clearTimeout(late);
      fail(new Error(`${args.join(" ")} ended with ${code}: ${output.slice(-400)}`));
    });
  });
}

/**
 * Opens a comment on the first visible line and types into it. Returns the milliseconds until the comment's field
 * exists (`open`) and the longest duration of a key event (`keystroke`).
 */
async function openAndType(page) {
  await page.evaluate(() => document.querySelector(".diff").scrollTo(0, 0));
  await page.waitForTimeout(300);
  const open = await page.evaluate(async () => {
    const number = document.querySelector(".num[data-line]");
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    await frame();
    const at = performance.now();
    const init = { bubbles: true, pointerId: 1, button: 0, clientX: 1, clientY: 1 };
    number.dispatchEvent(new PointerEvent("pointerdown", init));
    number.dispatchEvent(new PointerEvent("pointerup", init));
    while (!document.querySelector(".comment-open textarea")) await new Promise((done) => setTimeout(done));
    const shown = performance.now() - at;
    await frame();
    return shown;
  });
  await page.evaluate(() => {
    globalThis.__keys = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if (entry.name === "keydown") globalThis.__keys.push(entry.duration);
    }).observe({ type: "event", durationThreshold: 16, buffered: false });
  });
  await page.locator(".comment-open textarea").first().focus();
  await page.keyboard.type("a comment of a person who types", { delay: 40 });
  await page.waitForTimeout(300);
  const keys = await page.evaluate(() => globalThis.__keys);
  return { open: Math.round(open), keystroke: Math.max(0, ...keys) };
}
