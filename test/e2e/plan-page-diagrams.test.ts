import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowserForFile, newPage, openReview } from "../support/browser.ts";
import { makeHomeForFile, type RunningReview, startReview } from "../support/plan-review.ts";
import { samplePlan } from "../support/plans.ts";

const plan = `${samplePlan}\n\`\`\`mermaid\nflowchart LR\n  A --> B\n\`\`\`\n\n\`\`\`mermaid\nflowchart LR\n  A --\n\`\`\`\n`;
const FRAME = "/assets/diagram-frame.html";

const home = await makeHomeForFile();
const browser = await launchBrowserForFile();
let review: RunningReview;
beforeAll(async () => {
  review = await startReview(home, plan);
});
afterAll(async () => {
  review.child.kill("SIGTERM");
  await review.ended;
});

async function openWithDiagram(): Promise<{ page: Page; frame: Frame }> {
  const { page } = await openReview(browser, review.url);
  await page.locator(".diagram img").waitFor();
  const frame = page.frames().find((each) => each.url().endsWith(FRAME));
  if (!frame) throw new Error("the diagram was not drawn in a frame");
  return { page, frame };
}

describe("a diagram", () => {
  it("is rendered isolated from the page, the server and the network", async () => {
    const { frame } = await openWithDiagram();
    const reached = await frame.evaluate(async (server) => {
      const attempt = async (action: () => unknown) => {
        try {
          await action();
          return "reached";
        } catch {
          return "refused";
        }
      };
      const loaded = (tag: "img" | "script", address: string) =>
        new Promise((resolve, reject) => {
          const element = document.createElement(tag);
          element.onload = resolve;
          element.onerror = reject;
          element.src = address;
          document.body.append(element);
        });
      return {
        origin: self.origin,
        plan: await attempt(() => fetch(`${server}api/plan`)),
        unread: await attempt(() => fetch(`${server}api/deny`, { method: "POST", mode: "no-cors" })),
        page: await attempt(() => parent.document.title),
        storage: await attempt(() => localStorage.length),
        image: await attempt(() => loaded("img", `${server}api/image?path=/x.png`)),
        script: await attempt(() => loaded("script", `${server}assets/x.js`)),
        window: open(server) === null ? "refused" : "reached",
      };
    }, new URL("/", review.url).href);
    expect(reached).toEqual({
      origin: "null",
      plan: "refused",
      unread: "refused",
      page: "refused",
      storage: "refused",
      image: "refused",
      script: "refused",
      window: "refused",
    });
    // The review is still open.
    expect((await fetch(new URL("/api/plan", review.url))).status).toBe(200);
  });

  it("cannot navigate its frame and leak text", async () => {
    const visits: string[] = [];
    const elsewhere = createServer((request, response) => {
      visits.push(request.url ?? "");
      response.end();
    });
    await new Promise<void>((listening) => elsewhere.listen(0, "127.0.0.1", listening));
    const { port } = elsewhere.address() as AddressInfo;
    const { page, frame } = await openWithDiagram();
    const left = page.waitForEvent("framenavigated", (each) => each === frame);
    await frame.evaluate((address) => {
      location.href = address;
    }, `http://127.0.0.1:${port}/?words`);
    await left;
    expect(visits).toEqual([]);
    elsewhere.close();
  });

  it("has the page's colors, and is rendered again in others", async () => {
    const { page } = await openWithDiagram();
    const image = page.locator(".diagram img");
    const before = await image.getAttribute("src");
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(() => image.getAttribute("src")).not.toBe(before);
    const width = () => image.evaluate((element: HTMLImageElement) => element.naturalWidth);
    await expect.poll(width).toBeGreaterThan(50);
    expect(await image.getAttribute("alt")).toContain("A --> B");
  });

  it("is shown as text with the reason if it is invalid", async () => {
    const { page } = await openWithDiagram();
    const wrong = page.locator(".code-block", { has: page.locator(".diagram-error") });
    await wrong.waitFor();
    expect(await wrong.locator(".diagram-error").textContent()).toMatch(/^Cannot render this diagram: \S/);
    expect(await wrong.locator("pre").textContent()).toBe("flowchart LR\n  A --");
  });

  it("is rendered after a retry or a return to the page if its library could not be loaded", async () => {
    const away = `**${FRAME}`;
    const page = await newPage(browser);
    let attempts = 0;
    await page.route(away, (route) => {
      attempts += 1;
      return route.abort();
    });
    await page.goto(review.url);
    const failed = page.locator(".diagram-error", { hasText: "library cannot be loaded" });
    await expect.poll(() => failed.count()).toBe(2);
    expect(attempts).toBe(2);
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await expect.poll(() => attempts).toBe(4);
    await expect.poll(() => failed.count()).toBe(2);
    await page.unroute(away);
    await failed.first().getByRole("button", { name: "Try again" }).click();
    await page.locator(".diagram img").waitFor();
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    // The remaining error is in the diagram's own syntax, which a retry cannot fix.
    await page.locator(".diagram-error", { hasText: "Parse error" }).waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    await page.close();
  });

  it("alone causes its library to load", async () => {
    const plain = await startReview(home, samplePlan);
    const requests: string[] = [];
    const page = await newPage(browser);
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(plain.url);
    // The colors are applied after the first paint, as the library does.
    await page.locator(".hl-keyword").first().waitFor();
    expect(requests.filter((url) => url.endsWith(FRAME))).toEqual([]);
    await page.close();
    plain.child.kill("SIGTERM");
    await plain.ended;
  });

  it("has a frame that is sandboxed wherever it is opened", async () => {
    const page = await newPage(browser);
    await page.goto(new URL(FRAME, review.url).href);
    expect(await page.evaluate(() => self.origin)).toBe("null");
    await page.close();
  });
});
