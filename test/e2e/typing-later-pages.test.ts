import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, openPage, openReview, selectText, typeSentence } from "../support/browser.ts";
import { openCodeReview, startCodeReview, writeComment } from "../support/code-review-page.ts";
import { startPullReview } from "../support/forges/start-pull-review.ts";
import { liveAgent } from "../support/live-review.ts";
import { sentences } from "../support/sentences.ts";
import { testRepository } from "../support/test-repository.ts";

/** As in typing-page.test.ts. */
const typed = sentences(process.env["TYPED_SENTENCES"] === "all" ? 66 : 16);

const browser = await launchBrowserForFile();

/** Records the requests of a page that change something, other than its drafts and what the test allows. */
function watchChanges(page: Page): string[] {
  const changes: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() !== "GET" && pathname !== "/api/draft")
      changes.push(`${request.method()} ${pathname} ${request.postData()?.slice(0, 80)}`);
  });
  return changes;
}

/** Closes dialogs, menus and editors, and removes the focus. */
async function reset(page: Page): Promise<void> {
  const open = page.locator("dialog[open], .comment-open, .composer, [role=menu]:popover-open");
  for (let step = 0; step < 6 && (await open.count()) > 0; step += 1) {
    await page.keyboard.press("Escape");
    await page.waitForTimeout(50);
  }
  await page.locator("dialog[open]").first().waitFor({ state: "detached" });
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
}

type State = readonly [name: string, enter: () => Promise<unknown>];

/** Types each sentence in the next state. Returns what was sent in each. */
async function typeInStates(page: Page, states: readonly State[], changes: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const [index, text] of typed.entries()) {
    const [name, enter] = states[index % states.length] ?? ["", async () => undefined];
    await reset(page);
    await enter();
    // Some states are entered by a request, which the browser reports later.
    await page.waitForTimeout(100);
    const before = changes.length;
    await typeSentence(page, text, [0, 15, 40][index % 3] ?? 0);
    await page.waitForTimeout(100);
    for (const change of changes.slice(before)) found.push(`${name}: "${text}" sent ${change}`);
  }
  return found;
}

describe("ordinary sentences on the later pages", () => {
  it("decide nothing in a live code review", { timeout: 480_000 }, async () => {
    const repository = await testRepository({ "a.txt": "one\n" });
    await repository.git("checkout", "--quiet", "-b", "topic");
    await repository.write({ "a.txt": "one\ntwo\n" });
    await repository.commit("Add the second line\n\nThe first was lonely.");
    await repository.write({ "a.txt": "one\ntwo\nthree\nfour\n" });
    const { page, child, errors } = await openCodeReview(browser, repository, { flags: ["--live"] });
    const agent = liveAgent(repository);
    await page.getByRole("button", { name: "Finish" }).waitFor();
    await writeComment(page, "a.txt", [3, 3], "A comment that stays as it is");
    await agent.call("POST", "/api/threads", {
      anchor: { kind: "lines", path: "a.txt", side: "new", lineStart: 4, lineEnd: 4 },
      type: "comment",
      markdown: "Is this right?",
    });
    await page.locator(".thread-card").first().waitFor();
    const changes = watchChanges(page);
    const header = page.locator("header.header");
    const found = await typeInStates(
      page,
      [
        ["page", async () => undefined],
        ["line", () => page.keyboard.press("j")],
        ["Send", () => page.getByRole("button", { name: /^Send/ }).first().click()],
        ["Send focused", () => page.getByRole("button", { name: /^Send/ }).first().focus()],
        ["Finish", () => page.getByRole("button", { name: "Finish" }).first().click()],
        ["palette", () => page.keyboard.press("Control+k")],
        ["thread", () => page.locator(".thread-card").first().click()],
        ["commit", () => page.keyboard.press("}")],
        [
          "commit, line",
          async () => {
            await page.keyboard.press("}");
            await page.keyboard.press("j");
          },
        ],
        ["all changes", () => page.keyboard.press("{")],
        ["menu of diffs", () => header.locator("button[aria-haspopup]").first().click()],
        ["help", () => page.keyboard.press("?")],
      ],
      changes,
    );
    expect(found).toEqual([]);
    expect(child.exitCode).toBeNull();
    await reset(page);
    const draft = await fetch(new URL("/api/draft", page.url())).then((response) => response.text());
    expect(draft).toContain("A comment that stays as it is");
    expect(errors).toEqual([]);
  });

  it("decide nothing in a live plan review", { timeout: 480_000 }, async () => {
    const repository = await testRepository({ "a.txt": "a\n" });
    const file = join(repository.root, "plan.md");
    await writeFile(
      file,
      "# Cross the moat\n\nFirst we *measure* the moat.\n\nThen we build a bridge of oak.\n",
    );
    const review = await startCodeReview(repository, { command: "plan", flags: ["--live", file] });
    const { page, errors } = await openReview(browser, review.url);
    const changes = watchChanges(page);
    const found = await typeInStates(
      page,
      [
        ["page", async () => undefined],
        ["block", () => page.keyboard.press("j")],
        [
          "Finish",
          () =>
            page
              .getByRole("button", { name: /Finish|Approve/ })
              .first()
              .click(),
        ],
        ["palette", () => page.keyboard.press("Control+k")],
        ["help", () => page.keyboard.press("?")],
        ["Source", () => page.getByText("Source", { exact: true }).click()],
        ["selection", () => selectText(page, "bridge of oak")],
      ],
      changes,
    );
    expect(found).toEqual([]);
    expect(review.child.exitCode).toBeNull();
    expect(errors).toEqual([]);
  });

  it("post nothing on the page of a pull request", { timeout: 480_000 }, async () => {
    const review = await startPullReview("github");
    await review.page("POST", "/api/threads", {
      anchor: { kind: "lines", path: "src/wall.txt", side: "new", lineStart: 30, lineEnd: 30 },
      type: "comment",
      markdown: "Too high",
    });
    const { page, errors } = await openPage(browser, review.url);
    await page.getByRole("region", { name: "Pull request" }).waitFor();
    const changes = watchChanges(page);
    const post = async () => {
      await page.getByRole("button", { name: /^Post review/ }).click();
    };
    const preview = async () => {
      await post();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("Approve", { exact: true }).click();
      await dialog.getByRole("button", { name: "Preview" }).click();
      await dialog.getByText("Comment on src/wall.txt, line 30").waitFor();
    };
    const found = await typeInStates(
      page,
      [
        ["page", async () => undefined],
        ["line", () => page.keyboard.press("j")],
        ["Post review", post],
        ["preview", preview],
        [
          "preview, later",
          async () => {
            await preview();
            await page.waitForTimeout(1_200);
          },
        ],
        [
          "preview, focus",
          async () => {
            await preview();
            await page.waitForTimeout(1_200);
            await page.keyboard.press("Tab");
          },
        ],
        ["Done", () => page.getByRole("button", { name: "Done" }).click()],
        ["thread", () => page.locator(".thread-card").first().click()],
        ["palette", () => page.keyboard.press("Control+k")],
      ],
      changes,
    );
    expect(found.filter((each) => !each.includes("/api/pr/preview"))).toEqual([]);
    expect(review.castle.own).toEqual([]);
    expect(errors).toEqual([]);
  });
});
