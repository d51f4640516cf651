// The parts that recordings of the built command share: a separate home directory, a repository with a change, and a
// browser.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { findChromium } from "./chromium.mjs";

/** Creates the parts of a recording. `close` removes them. */
export async function createRecording() {
  const home = mkdtempSync(join(tmpdir(), "sallyport-recording-"));
  const shop = join(home, "shop");
  makeRepository(shop);
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ["--headless", "--no-sandbox", "--disable-gpu"],
  });
  return {
    home,
    shop,
    env: { PATH: process.env.PATH, HOME: home, SERVICE_HOME: join(home, "data"), SERVICE_BROWSER: "none" },
    browser,
    async close() {
      await browser.close();
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Returns the text of cart.ts. `each` is the expression that is summed; `before` and `after` enclose the sum. */
export function cart(each, before = "", after = "") {
  return `export function total(items: Item[]): number {
  return ${before}items.reduce((sum, item) => sum + ${each}, 0)${after};
}
`;
}

function makeRepository(shop) {
  mkdirSync(shop);
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: shop });
  git("init", "--quiet", "-b", "main");
  writeFileSync(join(shop, "cart.ts"), cart("item.price * item.count"));
  git("add", ".");
  git("commit", "--quiet", "-m", "one");
  writeFileSync(join(shop, "cart.ts"), cart("Math.round(item.price * item.count)"));
}
