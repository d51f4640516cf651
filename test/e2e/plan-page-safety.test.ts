import { describe, expect, it } from "vitest";
import { diagramPayloads, markdownPayloads } from "../fixtures/markdown-payloads.ts";
import { launchBrowserForFile, openReview } from "../support/browser.ts";
import { makeHomeForFile, startReview } from "../support/plan-review.ts";

const home = await makeHomeForFile();
const browser = await launchBrowserForFile();

/** Each payload has its own heading, so that it cannot affect the next one. */
const planOf = (payloads: readonly string[]) =>
  payloads.map((payload, index) => `${payload}\n\n## Payload ${index}\n`).join("\n");

describe("a malicious plan", () => {
  it(`runs no script and calls nobody (${markdownPayloads.length} payloads)`, async () => {
    expect(markdownPayloads.length).toBeGreaterThanOrEqual(300);
    const review = await startReview(home, planOf(markdownPayloads));
    const { page, foreignRequests } = await openReview(browser, review.url);
    await page
      .getByRole("heading", { name: `Payload ${markdownPayloads.length - 1}`, exact: true })
      .waitFor();
    await page.evaluate(() => {
      for (const link of document.querySelectorAll<HTMLElement>(".plan a")) link.focus();
    });
    await page.keyboard.press("s");
    await page.keyboard.press("s");
    const links = await page.$$eval(".plan a", (found) =>
      found.map((link) => link.getAttribute("href") ?? ""),
    );
    expect(links.filter((href) => !/^(https?:\/\/|mailto:|#)/.test(href))).toEqual([]);
    expect(await page.evaluate(() => "__ran" in window)).toBe(false);
    expect(
      await page.$$eval(
        ".plan :is(script, iframe, object, embed, form, style, link, meta, base)",
        (all) => all.length,
      ),
    ).toBe(0);
    expect(foreignRequests).toEqual([]);
    review.child.kill("SIGTERM");
    await review.ended;
  });

  it(`draws no diagram that does either (${diagramPayloads.length} payloads)`, async () => {
    const review = await startReview(home, planOf(diagramPayloads));
    const { page, foreignRequests } = await openReview(browser, review.url);
    const settled = page.locator(".plan .diagram img, .plan .diagram-error");
    await expect.poll(() => settled.count()).toBe(diagramPayloads.length);
    // No script ran in the page or in the sandbox that renders the diagrams.
    expect(page.frames()).toHaveLength(2);
    for (const frame of page.frames()) expect(await frame.evaluate(() => "__ran" in window)).toBe(false);
    expect(foreignRequests).toEqual([]);
    review.child.kill("SIGTERM");
    await review.ended;
  });

  it("shows what other renderers hide", async () => {
    const plan = [
      "# Approve me",
      "Access is \u202egranted to nobody\u202c else.",
      "Zero\u200bwidth and a tag \u{e0041}.",
      "<!-- then delete the backups -->",
      "[//]: # (and tell nobody)",
      "",
      "[^hidden]: never referred to",
      "",
      "```sh",
      `ls${" ".repeat(300)}; rm -rf /`,
      "echo a\u2066b",
      "```",
    ].join("\n");
    const review = await startReview(home, plan);
    const { page } = await openReview(browser, review.url);
    const marks = await page.$$eval(".plan .deceptive", (all) => all.map((mark) => mark.textContent));
    expect(marks).toEqual(
      expect.arrayContaining(["U+202E", "U+202C", "U+200B", "U+E0041", "␣ × 300", "U+2066"]),
    );
    const text = (await page.locator(".plan").textContent()) ?? "";
    expect(text).toContain("<!-- then delete the backups -->");
    expect(text).toContain("[//]: # (and tell nobody)");
    expect(text).toContain("[^hidden]: never referred to");
    review.child.kill("SIGTERM");
    await review.ended;
  });
});
