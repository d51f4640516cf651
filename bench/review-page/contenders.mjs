// Starts each review page, and names the selectors of its diff.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

export const sallyport = {
  name: "sallyport",
  text: ".row .code-text",
  token: ".row .code-text [class^='t-']",
  /** Present once the page reacts to mouse and keyboard. */
  usable: ".header button",
  scroller: ".diff",
  type: openAndType,
  start: (repository, timeout) =>
    startServer([join(root, "dist/sallyport.js"), "review", "code", "--no-open"], repository, timeout),
};

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
 * Starts a review and resolves to its URL, its process and a function that ends it; rejects after `timeout`
 * milliseconds.
 */
function startServer(args, repository, timeout) {
  const home = mkdtempSync(join(tmpdir(), "review-page-"));
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
      done({ url, pid: child.pid, stop, ready: Math.round(performance.now() - started) });
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
