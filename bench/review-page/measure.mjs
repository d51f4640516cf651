// Measures one load of a review page in a new Chromium: first diff text, first highlighted text, scrolling, typing.
import { chromium } from "playwright-core";
import { findChromium } from "../../scripts/chromium.mjs";

const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--enable-precise-memory-info",
  "--js-flags=--expose-gc",
];

/**
 * Runs in the page before other scripts: records when the first text, the first highlighted text and the `usable`
 * element are on screen, and the time of long tasks.
 */
function watch({ text, token, usable }) {
  const seen = { first: 0, highlighted: 0, usable: 0, longest: 0, blocked: 0 };
  globalThis.__seen = seen;
  const afterFrame = (name) =>
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        seen[name] ||= performance.now();
      };
      channel.port2.postMessage(0);
    });
  const wanted = new Map([
    ["first", () => document.querySelector(text)?.textContent?.trim()],
    ["highlighted", () => document.querySelector(token)],
    ["usable", () => document.querySelector(usable)],
  ]);
  const look = () => {
    for (const [name, isThere] of wanted) {
      if (!isThere()) continue;
      afterFrame(name);
      wanted.delete(name);
    }
    if (wanted.size === 0) observer.disconnect();
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { subtree: true, childList: true });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      seen.longest = Math.max(seen.longest, duration);
      seen.blocked += Math.max(0, duration - 50);
    }
  }).observe({ type: "longtask", buffered: true });
}

/**
 * Scrolls at reading speed, then fast. Returns the longest task in milliseconds, and the number of frames without
 * visible text at reading speed.
 */
async function scroll({ scroller, text }) {
  const element = scroller ? document.querySelector(scroller) : document.scrollingElement;
  const seen = globalThis.__seen;
  seen.longest = 0;
  let blank = 0;
  const isBlank = () => {
    const box = element.getBoundingClientRect?.() ?? {
      top: 0,
      height: innerHeight,
      left: 0,
      width: innerWidth,
    };
    const middle = document.elementFromPoint(
      innerWidth * 0.4,
      Math.min(innerHeight, box.top + box.height) / 2,
    );
    return (
      !middle?.closest(`${text}, .row, header, tr, .thread, .file`) ||
      middle.closest(".file-waiting") !== null
    );
  };
  for (const step of [120, 1_500]) {
    const end = performance.now() + 2_000;
    while (performance.now() < end) {
      element.scrollTop += step;
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      if (step === 120 && isBlank()) blank++;
    }
  }
  return { longest: Math.round(seen.longest), blank };
}

/** Measures one load. `contender` has the page's selectors; `deep` also scrolls and types. Times in milliseconds. */
export async function measurePage(url, contender, { deep = false, timeout = 120_000 } = {}) {
  const browser = await chromium.launch({ executablePath: findChromium(), args: ARGUMENTS });
  try {
    const page = await browser.newPage({ viewport: { width: 1_400, height: 900 } });
    const { text, token, usable } = contender;
    await page.addInitScript(watch, { text, token, usable });
    await page.goto(url, { timeout });
    const isDone = () => globalThis.__seen.highlighted > 0 && globalThis.__seen.usable > 0;
    await page.waitForFunction(isDone, undefined, { timeout, polling: 50 });
    const seen = await page.evaluate(() => globalThis.__seen);
    const result = { first: Math.round(seen.first), highlighted: Math.round(seen.highlighted) };
    result.usable = Math.round(seen.usable);
    if (!deep) return result;
    await page.waitForTimeout(1_000);
    const scrolled = await page.evaluate(scroll, { scroller: contender.scroller, text: contender.text });
    const typed = contender.type ? await contender.type(page) : {};
    const heap = await page.evaluate(() => {
      globalThis.gc?.();
      return Math.round(performance.memory.usedJSHeapSize / 1024 / 1024);
    });
    const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
    return { ...result, ...scrolled, ...typed, heap, nodes };
  } finally {
    await browser.close();
  }
}
