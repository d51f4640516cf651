import { expect, it } from "vitest";
import { launchBrowserForFile } from "../support/browser.ts";
import { openCodeReview } from "../support/code-review-page.ts";
import { liveAgent } from "../support/live-review.ts";
import { testRepository } from "../support/test-repository.ts";

const browser = await launchBrowserForFile();

const PROBE = "window.__ran=1";
/**
 * "Trojan Source" (CVE-2021-42574): if the control characters were applied, the check would appear outside of the
 * comment.
 */
const TROJAN = "/*\u202e } \u2066if (isAdmin)\u2069 \u2066 begin admins only */";
const FILES = {
  [`<img src=x onerror=${PROBE}>.html`]: `<script>${PROBE}</script>\n<base href="http://evil.test/">\n`,
  "gpj\u202e.exe.ts": `${TROJAN}\nls${" ".repeat(300)}; rm -rf /\npass\u200bword\n`,
  "notes.md": `<svg onload="${PROBE}">\n![](http://evil.test/a.png)\n[x](javascript:${PROBE})\n`,
  "math.svg": `<svg xmlns="http://www.w3.org/2000/svg"><foreignObject><iframe onload="${PROBE}"/></foreignObject></svg>\n`,
};

it("R8 and R10 malicious code and names run no script, send no request and hide nothing", async () => {
  const repository = await testRepository({ "a.txt": "a\n" });
  await repository.write(FILES);
  const { page, foreignRequests, errors, child } = await openCodeReview(browser, repository);
  const shown = page.locator(".code-text .deceptive");
  await expect
    .poll(() => shown.evaluateAll((all) => all.map((mark) => mark.getAttribute("data-shown"))))
    .toEqual(["U+202E", "U+2066", "U+2069", "U+2066", "␣ × 300", "U+200B"]);
  expect(await page.locator(".file-header", { hasText: "gpj[U+202E].exe.ts" }).count()).toBe(1);
  expect(await page.locator(".tree", { hasText: "gpj[U+202E].exe.ts" }).count()).toBe(1);
  // The text is shown in the order in which it is stored, regardless of its control characters.
  const positions = await page.locator(".code-text", { hasText: "begin admins only" }).evaluate((line) => {
    const found: number[] = [];
    const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const range = document.createRange();
      for (let at = 0; at < (node.textContent?.length ?? 0); at += 1) {
        if (!/\w/.test(node.textContent?.[at] ?? "")) continue;
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        // The line may be wrapped.
        const { top, left } = range.getBoundingClientRect();
        found.push(Math.round(top) * 10_000 + left);
      }
    }
    return found;
  });
  expect(positions.length).toBe("ifisAdminbeginadminsonly".length);
  expect(positions.toSorted((a, b) => a - b)).toEqual(positions);

  await page.keyboard.press("g");
  await page.locator(".sidebar textarea").fill(Object.values(FILES).join("\n"));
  await page.keyboard.press("Control+Enter");
  await page.locator(".comment-text .markdown").waitFor();
  expect(await page.evaluate(() => "__ran" in window)).toBe(false);
  expect([foreignRequests, errors]).toEqual([[], []]);
  child.kill("SIGTERM");
});

const EMPTY = Buffer.alloc(0);

it("R10 stacked combining characters do not cover the lines and messages around them", async () => {
  const stacked = `Z${"\u0301".repeat(1_500)}`;
  /** Opens a review, and returns the line and the message above a line and a message with this text. */
  const open = async (text: string) => {
    const repository = await testRepository({ "a.txt": "" });
    await repository.write({ "a.txt": `x\n${text}\n${"x\n".repeat(8)}` });
    const { page } = await openCodeReview(browser, repository, { flags: ["--live"] });
    const agent = liveAgent(repository);
    for (const [markdown, line] of [
      ["above", 6],
      [text, 7],
    ] as const)
      await agent.call("POST", "/api/threads", {
        anchor: { kind: "lines", path: "a.txt", side: "new", lineStart: line, lineEnd: line },
        type: "comment",
        markdown,
      });
    await expect.poll(() => page.locator(".thread-card").count()).toBe(2);
    await page.addStyleTag({ content: "time { visibility: hidden }" });
    return [page.locator(".code.added").first(), page.locator(".thread-card", { hasText: "above" })];
  };
  const [plain, covered] = [await open("Z"), await open(stacked)];
  for (const [index, element] of plain.entries()) {
    // A page may still be drawing, for example a message that has just arrived.
    const isCovered = async () =>
      !(await element.screenshot()).equals((await covered[index]?.screenshot()) ?? EMPTY);
    await expect.poll(isCovered).toBe(false);
  }
});
