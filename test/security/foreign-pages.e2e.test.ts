import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { launchBrowser } from "../support/browser.ts";
import { startCommand } from "../support/spawned-command.ts";

/**
 * Web pages of other origins in a real browser, which alone knows what it sends: every way a page has to reach the
 * review must end in nothing, and the person's own page and links must work.
 */
let browser: Browser;

beforeAll(async () => {
  // A name of somebody else's that leads to this machine, as after DNS rebinding.
  browser = await launchBrowser(["--host-resolver-rules=MAP evil.test 127.0.0.1"]);
});
afterAll(() => browser.close());

/** A page of somebody else's, on a port of its own. */
async function foreignServer(html = "<!doctype html><title>elsewhere</title>"): Promise<number> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function review() {
  const command = await startCommand(["review", "plan", "--no-open"], { stdin: "# Plan" });
  return { command, url: await command.url() };
}

/** Every way a page can send something; resolves to what came back readable. */
async function attack(target: string): Promise<string[]> {
  const readable: string[] = [];
  const tries: [string, RequestInit][] = [
    ["/api/approve", { method: "POST", mode: "no-cors" }],
    ["/api/approve", { method: "POST", mode: "no-cors", body: "{}" }],
    ["/api/deny", { method: "POST", mode: "no-cors", body: new URLSearchParams({ feedback: "x" }) }],
    ["/api/deny", { method: "POST", mode: "no-cors", body: new FormData() }],
    ["/api/approve", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }],
    ["/api/draft", { method: "PUT", headers: { "content-type": "application/json" }, body: "{}" }],
    ["/api/plan", {}],
    ["/api/plan", { mode: "no-cors" }],
    ["/", {}],
  ];
  for (const [path, init] of tries) {
    const text = await fetch(`${target}${path}`, init).then(
      (response) => response.text(),
      () => "",
    );
    if (text) readable.push(`${path}: ${text}`);
  }
  navigator.sendBeacon(`${target}/api/approve`, "{}");
  const element = <Name extends keyof HTMLElementTagNameMap>(name: Name, members: object) =>
    new Promise((resolve) => {
      const created = Object.assign(document.createElement(name), members, {
        onload: resolve,
        onerror: resolve,
      });
      document.body.append(created);
    });
  await element("img", { src: `${target}/api/image?path=a.png` });
  await element("script", { src: `${target}/api/plan` });
  await element("iframe", { src: `${target}/`, name: "frame" });
  const form = Object.assign(document.createElement("form"), {
    method: "POST",
    action: `${target}/api/approve`,
    target: "frame",
  });
  document.body.append(form);
  form.submit();
  await new Promise((resolve) => setTimeout(resolve, 300));
  return readable;
}

async function expectUntouched({ command, url }: Awaited<ReturnType<typeof review>>) {
  expect(command.child.exitCode).toBeNull();
  expect(command.stdout()).toBe("");
  expect(await (await fetch(`${url}/api/draft`)).json()).toMatchObject({ generation: 0 });
  expect((await command.post("/api/approve", {})).status).toBe(200);
}

describe("a page of another origin", () => {
  it("on another site reaches nothing", async () => {
    const target = await review();
    const port = await foreignServer();
    const page = await (await browser.newContext()).newPage();
    await page.goto(`http://evil.test:${port}/`);
    expect(await page.evaluate(attack, target.url)).toEqual([]);
    expect(await page.evaluate(attack, target.url.replace("localhost", "127.0.0.1"))).toEqual([]);
    await expectUntouched(target);
  });

  it("on another port of this machine reaches nothing", async () => {
    const target = await review();
    const page = await (await browser.newContext()).newPage();
    await page.goto(`http://localhost:${await foreignServer()}/`);
    expect(await page.evaluate(attack, target.url)).toEqual([]);
    await expectUntouched(target);
  });

  it("that had its name point here is shown nothing", async () => {
    const target = await review();
    const page = await (await browser.newContext()).newPage();
    const own = target.url.replace("localhost", "evil.test");
    const response = await page.goto(`${own}/`);
    expect(response?.status()).toBe(403);
    const reached = await page.evaluate(attack, own);
    expect(reached.filter((text) => !text.includes("answers to localhost only"))).toEqual([]);
    await expectUntouched(target);
  });
});

it("a link from another page opens the review, whose own calls work", async () => {
  const { command, url } = await review();
  const port = await foreignServer(`<!doctype html><a href="${url}/">review</a>`);
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.click("a");
  await page.waitForURL(`${url}/`);
  const status = await page.evaluate(async () => {
    const answer = await fetch("/api/deny", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ feedback: "from its own page" }),
    });
    return answer.status;
  });
  expect(status).toBe(200);
  expect((await command.ended).stdout).toBe("from its own page\n");
});
