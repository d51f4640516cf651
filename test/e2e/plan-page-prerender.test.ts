import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { diagramPayloads, markdownPayloads } from "../fixtures/markdown-payloads.ts";
import { launchBrowserForFile, newContext, openPage, openReview } from "../support/browser.ts";
import { makeHomeForEachTest, type RunningReview, startReview } from "../support/plan-review.ts";
import { samplePlan } from "../support/plans.ts";

const browser = await launchBrowserForFile();
const home = makeHomeForEachTest();

/** Returns the page as it is before any of its scripts has run. */
async function openWithoutScripts(review: RunningReview, width = 1280): Promise<Page> {
  const context = await newContext(browser, { viewport: { width, height: 860 } });
  const page = await context.newPage();
  await page.route("**/*.js", (route) => route.abort());
  await page.goto(review.url);
  return page;
}

async function end(review: RunningReview): Promise<void> {
  review.child.kill("SIGTERM");
  await review.ended;
}

/** Returns the positions of all elements with the plan's text in the whole document. */
const blockPositions = (page: Page) =>
  page.$$eval(".plan .markdown > *, .plan pre, .plan td", (all) =>
    all.map((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      return [left, top + scrollY, width, height];
    }),
  );

describe("the plan's text", () => {
  it("can be read before any script has run", async () => {
    const review = await startReview(home, samplePlan);
    const page = await openWithoutScripts(review);
    await page.getByRole("heading", { name: "What changes" }).waitFor();
    expect(await page.getByRole("cell", { name: "RedisSessionStore" }).isVisible()).toBe(true);
    expect(await page.title()).toBe("Move sessions to Redis: plan review");
    await end(review);
  });

  it.each([1280, 800, 360])("does not move when the page takes over, %i pixels wide", async (width) => {
    const review = await startReview(home, samplePlan);
    const before = await blockPositions(await openWithoutScripts(review, width));
    const { page } = await openReview(browser, review.url, { width });
    expect(before.length).toBeGreaterThan(10);
    const after = await blockPositions(page);
    expect(after.length).toBe(before.length);
    const moves = after.flat().map((at, index) => Math.abs(at - (before.flat()[index] ?? Number.NaN)));
    expect(Math.max(...moves)).toBeLessThan(1);
    await end(review);
  });

  it("is centered and stays there if there are no headings", async () => {
    const review = await startReview(home, "One paragraph.\n");
    const before = await blockPositions(await openWithoutScripts(review));
    const { page } = await openReview(browser, review.url);
    expect(await blockPositions(page)).toEqual(before);
    const [[left = 0] = []] = before;
    expect(left).toBeGreaterThan(250);
    await end(review);
  });

  it("has the chosen colors from the start", async () => {
    const review = await startReview(home, samplePlan);
    const { page } = await openReview(browser, review.url);
    const saved = page.waitForResponse((response) => response.request().method() === "PUT");
    await page.getByRole("button", { name: "Theme" }).click();
    await page
      .getByRole("menuitem", { name: "Dark" })
      .or(page.getByRole("menuitemradio", { name: "Dark" }))
      .click();
    expect((await saved).status()).toBe(200);
    const bare = await openWithoutScripts(review);
    expect(await bare.locator("html").getAttribute("data-theme")).toBe("dark");
    await end(review);
  });

  it("is rendered by the page if the plan is very long", async () => {
    const review = await startReview(
      home,
      `# A long plan\n\n\`\`\`\n${"A line of many.\n".repeat(13_000)}\`\`\`\n`,
    );
    expect(await (await fetch(review.url)).text()).not.toContain("A line of many");
    const { page } = await openPage(browser, review.url);
    await page.locator(".plan").getByRole("heading", { name: "A long plan" }).waitFor();
    await end(review);
  });

  it("is rendered by the server as by the page, for any content", async () => {
    const payloads = [samplePlan, ...markdownPayloads, ...diagramPayloads];
    const plan = payloads.map((payload, index) => `${payload}\n\n## Payload ${index}\n`).join("\n");
    const review = await startReview(home, plan);
    const html = await (await fetch(review.url)).text();
    const { page } = await openReview(browser, review.url);
    const [server, own] = await page.evaluate((text) => {
      const shape = (node: Node): string[] => {
        if (node instanceof Text) return [node.data];
        if (!(node instanceof Element) || node.matches("button")) return [];
        if (node.matches("img, .image-blocked, .image-missing")) return ["(image)"];
        if (node.matches(".code-block") && /^mermaid/.test(node.textContent)) return ["(diagram)"];
        const inner = [...node.childNodes].flatMap(shape);
        // Colours come later.
        return node.matches("[class^=hl-]")
          ? inner
          : [`<${node.localName} ${node.className}>`, ...inner, "</>"];
      };
      const lines = (root: ParentNode) =>
        [...(root.querySelector(".plan .markdown")?.children ?? [])].map((block) => shape(block).join(""));
      return [lines(new DOMParser().parseFromString(text, "text/html")), lines(document)];
    }, html);
    expect(server?.length).toBeGreaterThan(600);
    expect(server).toEqual(own);
    await end(review);
  });
});
