import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { launchBrowserForFile, newPage } from "../support/browser.ts";
import { json, startFakeUpstream } from "../support/fake-upstream.ts";
import { startCommand } from "../support/spawned-command.ts";
import { startTestProxy } from "../support/start-proxy.ts";

/**
 * R1, R2, R3 and P1: web pages of other origins in a real browser, because only a browser sends its real headers.
 * Every attempt of a page to reach the review must fail, and the person's own page and links must work.
 * `evil.test` is a foreign host name that resolves to this machine, as after DNS rebinding.
 */
const browser = await launchBrowserForFile(["--host-resolver-rules=MAP evil.test 127.0.0.1"]);

/** A foreign page on another port. */
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

type Try = readonly [path: string, init: RequestInit];

/** Requests of a page to a review server, with and without a CORS preflight. */
const ON_REVIEW: readonly Try[] = [
  ["/api/approve", { method: "POST", mode: "no-cors" }],
  ["/api/approve", { method: "POST", mode: "no-cors", body: "{}" }],
  [
    "/api/deny",
    { method: "POST", mode: "no-cors", headers: { "content-type": "text/plain" }, body: "feedback=x" },
  ],
  [
    "/api/deny",
    {
      method: "POST",
      mode: "no-cors",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "feedback=x",
    },
  ],
  [
    "/api/upload",
    {
      method: "POST",
      mode: "no-cors",
      headers: { "content-type": "multipart/form-data; boundary=b" },
      body: "--b--",
    },
  ],
  ["/api/approve", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }],
  ["/api/draft", { method: "PUT", headers: { "content-type": "application/json" }, body: "{}" }],
  ["/api/plan", {}],
  ["/api/plan", { mode: "no-cors" }],
  ["/", {}],
];

/** The same for the proxy. */
const ON_PROXY: readonly Try[] = [
  ["/v1/messages", { method: "POST", mode: "no-cors" }],
  ["/v1/messages", { method: "POST", mode: "no-cors", body: '{"model":"m"}' }],
  [
    "/v1/messages",
    { method: "POST", headers: { "content-type": "application/json" }, body: '{"model":"m"}' },
  ],
  ["/v1/chat/completions", { method: "POST", mode: "no-cors", body: '{"model":"m"}' }],
  ["/mcp/tools/mcp", { method: "POST", mode: "no-cors", body: "{}" }],
  ["/internal/warmup", { method: "POST", mode: "no-cors" }],
  ["/v1/models", {}],
  ["/v1/models", { mode: "no-cors" }],
  ["/metrics", {}],
  ["/", {}],
];

interface Target {
  readonly url: string;
  readonly requests: readonly Try[];
  /** Requests by elements, which send cookies and follow redirects. */
  readonly included: readonly string[];
  readonly posted: string;
}

/** Sends requests in every way that a page can; resolves to the responses that the page can read. */
async function attack({ url, requests, included, posted }: Target): Promise<string[]> {
  const readable: string[] = [];
  for (const [path, init] of requests) {
    const text = await fetch(`${url}${path}`, init).then(
      (response) => response.text(),
      () => "",
    );
    if (text) readable.push(`${path}: ${text}`);
  }
  navigator.sendBeacon(`${url}${posted}`, "{}");
  const settled = <Name extends keyof HTMLElementTagNameMap>(name: Name, members: object) =>
    new Promise((resolve) => {
      document.body.append(
        Object.assign(document.createElement(name), members, { onload: resolve, onerror: resolve }),
      );
    });
  for (const path of included) {
    await settled("img", { src: `${url}${path}` });
    await settled("script", { src: `${url}${path}` });
    await settled("link", { rel: "stylesheet", href: `${url}${path}` });
  }
  await settled("iframe", { src: `${url}/`, name: "frame" });
  // The response to the form is loaded into the frame.
  const frame = document.querySelector("iframe");
  const loaded = new Promise((resolve) => frame?.addEventListener("load", resolve, { once: true }));
  const form = Object.assign(document.createElement("form"), {
    method: "POST",
    action: `${url}${posted}`,
    target: "frame",
  });
  document.body.append(form);
  form.submit();
  await loaded;
  return readable;
}

const onReview = (url: string): Target => ({
  url,
  requests: ON_REVIEW,
  included: ["/api/plan", "/api/image?path=a.png"],
  posted: "/api/approve",
});

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
    const page = await newPage(browser);
    await page.goto(`http://evil.test:${port}/`);
    for (const host of ["localhost", "127.0.0.1", "0.0.0.0"])
      expect(await page.evaluate(attack, onReview(target.url.replace("localhost", host)))).toEqual([]);
    await expectUntouched(target);
  });

  it("on another port of this machine reaches nothing", async () => {
    const target = await review();
    const page = await newPage(browser);
    await page.goto(`http://localhost:${await foreignServer()}/`);
    expect(await page.evaluate(attack, onReview(target.url))).toEqual([]);
    await expectUntouched(target);
  });

  it("cannot read anything by DNS rebinding", async () => {
    const target = await review();
    const page = await newPage(browser);
    const own = target.url.replace("localhost", "evil.test");
    const response = await page.goto(`${own}/`);
    expect(response?.status()).toBe(403);
    const reached = await page.evaluate(attack, onReview(own));
    expect(reached.filter((text) => !text.includes("does not accept requests for this host name"))).toEqual(
      [],
    );
    await expectUntouched(target);
  });
});

describe("a page of another origin, and the proxy without a key", () => {
  it.each(["another site", "another port", "a name made to lead here"])(
    "%s spends and reads nothing",
    async (from) => {
      const upstream = await startFakeUpstream(json({ secret: "of the upstream" }));
      const proxy = await startTestProxy({
        upstreams: { a: { dialect: "messages", base_url: upstream.url, models: ["m"] } },
        mcp: { tools: { url: `${upstream.url}/mcp` } },
      });
      onTestFinished(async () => {
        await proxy.close();
        await upstream.close();
      });
      const { port } = new URL(proxy.url);
      const page = await newPage(browser);
      const host = from === "another port" ? "localhost" : "evil.test";
      const own = from === "a name made to lead here";
      await page.goto(`http://${host}:${own ? port : await foreignServer()}/`);
      const hosts = own ? ["evil.test"] : ["localhost", "127.0.0.1", "0.0.0.0"];
      for (const name of hosts) {
        const target = {
          url: `http://${name}:${port}`,
          requests: ON_PROXY,
          included: ["/v1/models"],
          posted: "/v1/messages",
        };
        const reached = await page.evaluate(attack, target);
        expect(reached.filter((text) => !own || !text.includes("Host header not allowed"))).toEqual([]);
      }
      expect(upstream.hits).toEqual([]);
      expect(proxy.records).toEqual([]);
    },
  );
});

it("a link from another page opens the review, whose own calls work", async () => {
  const { command, url } = await review();
  const port = await foreignServer(`<!doctype html><a href="${url}/">review</a>`);
  const page = await newPage(browser);
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.click("a");
  await page.waitForURL(`${url}/`);
  const status = await page.evaluate(async () => {
    const response = await fetch("/api/deny", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ feedback: "from its own page" }),
    });
    return response.status;
  });
  expect(status).toBe(200);
  expect((await command.ended).stdout).toBe("Plan not approved.\n\nfrom its own page\n");
});
