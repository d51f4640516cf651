import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, it } from "vitest";
import { violations } from "../support/accessibility.ts";
import { chooseOption, launchBrowserForFile, newContext, openPage } from "../support/browser.ts";
import { type FakeUpstream, json, startFakeUpstream } from "../support/fake-upstream.ts";
import { quietPort } from "../support/quiet-port.ts";

const command = resolve(import.meta.dirname, "../../dist/sallyport.js");
const KEY = "sk-dashboard-0123456789abcdef";
const completion = { type: "message", content: [], usage: { input_tokens: 1000, output_tokens: 100 } };

const browser = await launchBrowserForFile();
let upstream: FakeUpstream;
let home = "";
let child: ChildProcess | undefined;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "dashboard-"));
  upstream = await startFakeUpstream(json(completion));
});
afterEach(async () => {
  await killed();
  await upstream.close();
  // Workers end with the proxy and write their code cache last; a retry of rmSync itself does not list a folder again.
  await expect.poll(isRemoved).toBe(true);
});

function isRemoved(): boolean {
  try {
    rmSync(home, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

/** Resolves when the proxy has ended. */
async function killed(): Promise<void> {
  if (!child) return;
  const exited = child.exitCode ?? child.signalCode ?? once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

const configure = (settings: object) => {
  const upstreams = { a: { dialect: "messages", base_url: upstream.url } };
  writeFileSync(join(home, "config.json"), JSON.stringify({ proxy: { upstreams, ...settings } }));
};

async function start(settings: object = {}, ...flags: string[]): Promise<string> {
  configure(settings);
  const ready = join(home, "ready.json");
  const files = ["--config", join(home, "config.json"), "--ready-file", ready];
  const args = [command, "proxy", "start", ...files, "--port", String(await quietPort()), ...flags];
  const environment = { PATH: process.env["PATH"], HOME: home, SERVICE_HOME: join(home, "data") };
  child = spawn(process.execPath, args, { env: environment, stdio: "ignore" });
  const text = await expect
    .poll(() => read(ready))
    .toContain("url")
    .then(() => read(ready));
  return JSON.parse(text).url;
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

async function call(url: string, model: string, headers: Record<string, string> = {}): Promise<void> {
  const response = await fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", connection: "close", ...headers },
    body: JSON.stringify({ model, messages: [] }),
  });
  await response.text();
}

const rows = (page: Page, caption: string) => page.getByRole("table", { name: caption }).locator("tbody tr");
const isLive = (page: Page) => page.getByRole("status").getByText("Running", { exact: true }).waitFor();

it("shows running and finished calls with any names, and filters them by field and by key", async () => {
  const url = await start();
  const { page, errors, foreignRequests } = await openPage(browser, url);
  await isLive(page);
  await page.getByText("No call has ended yet").waitFor();

  let release = () => {};
  upstream.respond = async (hit, response) => {
    await new Promise<void>((done) => {
      release = done;
    });
    return json(completion)(hit, response);
  };
  const running = call(url, "claude-sonnet-5");
  await rows(page, "Running now").getByText("claude-sonnet-5").waitFor();
  // The response can be released as soon as the call has arrived.
  await expect.poll(() => upstream.hits.length).toBe(1);
  release();
  await running;
  await rows(page, "Last calls").getByText("$0.0030").waitFor();
  await page.getByText("No call is running").waitFor();

  upstream.respond = json({ type: "error", error: { type: "overloaded_error", message: "no" } }, 500);
  await call(url, "<img src=x onerror=alert(1)>");
  await rows(page, "Last calls").getByText("<img src=x onerror=alert(1)>").waitFor();
  expect(await page.locator("img").count()).toBe(0);
  expect(await rows(page, "Last calls").count()).toBe(2);

  await page.getByLabel("Errors only").focus();
  await page.keyboard.press("Space");
  await expect.poll(() => rows(page, "Last calls").count()).toBe(1);
  // Updates do not change the filter and the focus.
  upstream.respond = json(completion);
  await call(url, "claude-opus-5");
  await rows(page, "By model, since start").getByText("claude-opus-5").waitFor();
  expect(await rows(page, "Last calls").count()).toBe(1);
  expect(await page.getByLabel("Errors only").evaluate((box) => box === document.activeElement)).toBe(true);
  await page.keyboard.press("Space");
  await chooseOption(page.locator("select[name=model]"), "claude-opus-5");
  await expect
    .poll(() => rows(page, "Last calls").allTextContents())
    .toEqual([expect.stringContaining("opus")]);

  const status = await page.locator("#status").evaluateHandle((element) => {
    const texts: (string | null)[] = [];
    new MutationObserver(() => texts.push(element.textContent)).observe(element, { childList: true });
    return texts;
  });
  await page.getByRole("button", { name: "Copy the setting of OpenAI SDKs" }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe(`OPENAI_BASE_URL=${url}/v1`);
  await expect.poll(() => status.evaluate((texts) => texts)).toContain("Copied");
  expect([errors, foreignRequests]).toEqual([[], []]);
});

it("starts in a browser whose language is not a language tag, as under LANG=C", async () => {
  const url = await start();
  const context = await newContext(browser);
  await context.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, "language", { get: () => "en-US@posix" });
  });
  const page = await context.newPage();
  await page.goto(url);
  await isLive(page);
});

it("shows why a configuration was rejected and that the proxy has stopped, and reconnects", async () => {
  const url = await start();
  const { page } = await openPage(browser, url);
  await isLive(page);
  writeFileSync(join(home, "config.json"), '{"proxy": {"portt": 1}}');
  await page.getByText("proxy.portt").waitFor();
  configure({});
  await page.getByText("proxy.portt").waitFor({ state: "detached" });
  await killed();
  await page.getByText("Not connected").waitFor();
  const port = new URL(url).port;
  const ready = join(home, "again.json");
  const files = ["--config", join(home, "config.json"), "--ready-file", ready, "--port", port];
  const environment = { PATH: process.env["PATH"], HOME: home, SERVICE_HOME: join(home, "data") };
  child = spawn(process.execPath, [command, "proxy", "start", ...files], {
    env: environment,
    stdio: "ignore",
  });
  await isLive(page);
});

it("asks for a key where one is needed, keeps it in memory and out of every URL", async () => {
  const url = await start({ auth_mode: "strict", api_keys: [KEY] });
  await call(url, "claude-sonnet-5", { "x-api-key": KEY });
  const { page } = await openPage(browser, url);
  const urls: string[] = [];
  page.on("request", (request) => urls.push(request.url()));
  expect(await page.content()).not.toContain("claude-sonnet-5");
  expect(await violations(page)).toEqual([]);
  await page.getByLabel("Key").fill("sk-wrong-0123456789abcdef");
  await page.keyboard.press("Enter");
  await page.getByText("not valid for this proxy").waitFor();
  await page.getByLabel("Key").fill(KEY);
  await page.keyboard.press("Enter");
  await rows(page, "Last calls").getByText("claude-sonnet-5").waitFor();
  const stored = await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]);
  expect(stored).toEqual([0, 0, ""]);
  await page.reload();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  expect(await page.content()).not.toContain("claude-sonnet-5");
  expect(urls.filter((each) => each.includes("sk-"))).toEqual([]);
});

it("sums the calls of several processes", async () => {
  const url = await start({}, "--workers", "2");
  const { page } = await openPage(browser, url);
  await isLive(page);
  for (let number = 0; number < 12; number += 1) await call(url, `m${number}`);
  await expect.poll(() => rows(page, "Last calls").count()).toBe(12);
  await expect.poll(() => rows(page, "By model, since start").count()).toBe(12);
  await page.reload();
  await isLive(page);
  expect(await rows(page, "Last calls").count()).toBe(12);
});

it("has a heading and a table in each section, with filters between them that never cover it", async () => {
  const url = await start({
    upstreams: { "one-with-quite-a-long-name-of-its-own": { dialect: "messages", base_url: upstream.url } },
  });
  await call(url, "claude-sonnet-5");
  const { page } = await openPage(browser, url, { width: 768 });
  await rows(page, "Last calls").getByText("claude-sonnet-5").waitFor();
  await isLive(page);
  const section = page.locator("section", { has: page.getByRole("heading", { name: "Last calls" }) });
  const order = await section.evaluate((element) =>
    [...element.querySelectorAll("h2, .filters, table")].map(({ localName }) => localName),
  );
  expect(order).toEqual(["h2", "div", "table"]);
  for (const width of [360, 768, 1280]) {
    await page.setViewportSize({ width, height: 740 });
    const [heading, filters] = await Promise.all([
      section.locator("h2").boundingBox(),
      section.locator(".filters").boundingBox(),
    ]);
    if (!heading || !filters) throw new Error("not on screen");
    const isBeside = heading.x + heading.width <= filters.x;
    const isAbove = heading.y + heading.height <= filters.y;
    expect([width, isBeside || isAbove]).toEqual([width, true]);
  }
});

it.each(["light", "dark"] as const)("is accessible: %s, narrow, and without scripts", async (theme) => {
  const url = await start({ mcp: { tools: { url: upstream.url } } });
  await call(url, "claude-sonnet-5");
  const { page } = await openPage(browser, url, { theme });
  await isLive(page);
  await rows(page, "Last calls").getByText("claude-sonnet-5").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  expect(await violations(page)).toEqual([]);
  const context = await newContext(browser, { javaScriptEnabled: false, colorScheme: theme });
  const still = await context.newPage();
  await still.goto(url);
  expect(await rows(still, "Last calls").textContent()).toContain("claude-sonnet-5");
  await context.close();
});
