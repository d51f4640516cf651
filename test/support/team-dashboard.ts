import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { launchBrowser, openPage } from "./browser.ts";
import { type FakeUpstream, json, startFakeUpstream } from "./fake-upstream.ts";
import { quietPort } from "./quiet-port.ts";

const command = resolve(import.meta.dirname, "../../dist/sallyport.js");
const completion = { type: "message", content: [], usage: { input_tokens: 1000, output_tokens: 100 } };

/** The built proxy of one test, and its dashboard in a browser. */
export interface TeamDashboard {
  readonly upstream: FakeUpstream;
  /** The admin key of the first start. */
  readonly admin: string;
  readonly url: string;
  startProxy(port?: number): Promise<void>;
  stopProxy(): Promise<void>;
  /** Sends a call and returns its id. */
  call(model: string, key?: string): Promise<string>;
  adminApi(method: string, path: string, body?: object): Promise<{ [name: string]: never }>;
  /** Resolves when the ledger has this many calls. */
  recorded(count: number): Promise<void>;
  /** Creates a key and returns its secret. */
  createKey(name: string, more?: object): Promise<string>;
  openSignedIn(key: string, options?: Parameters<typeof openPage>[2]): ReturnType<typeof openPage>;
}

/** Starts a proxy with `settings` and a database before each test of a file, and a browser before all. */
export function teamDashboard(settings: object = {}): TeamDashboard {
  let browser: Browser;
  let upstream: FakeUpstream;
  let home = "";
  let url = "";
  let admin = "";
  let child: ChildProcess;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), "team-dashboard-"));
    upstream = await startFakeUpstream(json(completion));
    await startProxy();
  });
  afterEach(async () => {
    await stopProxy();
    await upstream.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 20 });
  });

  async function startProxy(port?: number): Promise<void> {
    const [config, ready] = [join(home, "config.json"), join(home, "ready.json")];
    rmSync(ready, { force: true });
    const upstreams = {
      a: { dialect: "messages", base_url: upstream.url, api_key: "sk-upstream-0123456789" },
    };
    writeFileSync(config, JSON.stringify({ proxy: { upstreams, ...settings } }));
    const files = ["--config", config, "--ready-file", ready];
    const args = [command, "proxy", "start", ...files, "--port", String(port ?? (await quietPort()))];
    const env = { PATH: process.env["PATH"], HOME: home, SERVICE_HOME: join(home, "data") };
    child = spawn(process.execPath, args, { env, stdio: "ignore" });
    await expect.poll(() => read(ready)).toContain("url");
    url = JSON.parse(read(ready)).url;
    const key = join(home, "data/proxy/admin-key");
    await expect.poll(() => read(key)).toContain("sk-sally-");
    admin = read(key).trim();
  }

  async function stopProxy(): Promise<void> {
    const exited = child.exitCode ?? child.signalCode ?? once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  async function adminApi(method: string, path: string, body?: object): Promise<{ [name: string]: never }> {
    const headers = { authorization: `Bearer ${admin}`, ...(body && { "content-type": "application/json" }) };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    return (await fetch(`${url}/api/admin/v1${path}`, init)).json() as Promise<{ [name: string]: never }>;
  }

  return {
    get upstream() {
      return upstream;
    },
    get admin() {
      return admin;
    },
    get url() {
      return url;
    },
    startProxy,
    stopProxy,
    async call(model, key) {
      const response = await fetch(`${url}/v1/messages`, {
        method: "POST",
        headers: { "content-type": "application/json", ...(key !== undefined && { "x-api-key": key }) },
        body: JSON.stringify({ model, messages: [] }),
      });
      await response.text();
      return response.headers.get("x-sallyport-request-id") ?? "";
    },
    adminApi,
    async recorded(count) {
      await expect.poll(async () => (await adminApi("GET", "/calls"))["calls"]).toHaveLength(count);
    },
    createKey: async (name, more = {}) =>
      (await adminApi("POST", "/keys", { name, ...more }))["secret"] ?? "",
    async openSignedIn(key, options = {}) {
      const opened = await openPage(browser, url, options);
      await signIn(opened.page, key);
      return opened;
    },
  };
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

async function signIn(page: Page, key: string): Promise<void> {
  const field = page.getByLabel("Key", { exact: true });
  const button = page.getByRole("button", { name: "Sign in" });
  await button.waitFor();
  if (!(await field.isVisible())) await button.click();
  await field.fill(key);
  await page.keyboard.press("Enter");
}

/** Returns the rows of the table with this name. */
export const rowsOf = (page: Page, name: string) => page.getByRole("table", { name }).locator("tbody tr");

/** Returns the link to a view. */
export const viewLink = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Views" }).getByRole("link", { name, exact: true });
