import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { violations } from "../support/accessibility.ts";
import { launchBrowserForFile } from "../support/browser.ts";
import { openCodeReview, sendFeedback, writeComment } from "../support/code-review-page.ts";
import { plainPng } from "../support/images.ts";
import { image, notebookText, stream, type TestCell } from "../support/notebooks.ts";
import { testRepository } from "../support/test-repository.ts";

const browser = await launchBrowserForFile();

const intro = (count: number): TestCell[] =>
  ["a", "b", "c"].map((id) => ({ id: `intro-${id}`, source: `step_${id} = 1\nprint(step_${id})`, count }));

const BEFORE: TestCell[] = [
  ...intro(1),
  {
    id: "load",
    source: 'frame = read("orders.csv")\nframe.head()',
    outputs: [stream("12 rows\n")],
    count: 2,
  },
  { id: "plot", source: "frame.plot()", outputs: [image(plainPng(120, 60, [200, 0, 0]))] },
  { id: "text", kind: "markdown", source: "# Orders\n\nof *2025*" },
];
const AFTER: TestCell[] = [
  { id: "text", kind: "markdown", source: "# Orders\n\nof *2026*" },
  ...intro(7),
  {
    id: "load",
    source: 'frame = read("all.csv")\nframe.head()',
    outputs: [
      {
        output_type: "error",
        ename: "OSError",
        evalue: "no file",
        traceback: ["\u001b[0;31mOSError\u001b[0m: no file"],
      },
    ],
    count: 8,
  },
  { id: "plot", source: "frame.plot()", outputs: [image(plainPng(120, 60, [0, 0, 200]))] },
];

const rowsOf = (page: Page, path: string) =>
  page.locator(`[data-path="${path}"] .rows .row`).evaluateAll((rows) =>
    rows.map((row) => {
      const codes = [...row.querySelectorAll(".code")].map((code) => code.textContent);
      return codes.length > 0
        ? codes.join(" | ")
        : (row as HTMLElement).innerText.replace(/\s+/g, " ").trim();
    }),
  );

async function changedNotebooks() {
  const repository = await testRepository({
    "orders.ipynb": notebookText(BEFORE),
    "v3.ipynb": '{"nbformat": 3, "worksheets": []}\n',
    "packed.ipynb": notebookText([{ source: "a = 1\nb = 1" }], { indent: 0 }),
  });
  await repository.write({
    "orders.ipynb": notebookText(AFTER),
    "v3.ipynb": '{"nbformat": 3, "worksheets": [1]}\n',
    "packed.ipynb": notebookText([{ source: "a = 1\nb = 2" }], { indent: 0 }),
  });
  const lines = notebookText(AFTER).split("\n");
  return { repository, lineOf: (part: string) => lines.findIndex((line) => line.includes(part)) + 1 };
}

describe("a changed notebook", () => {
  it("is shown by cells: source, outputs and images, and the rest folded", async () => {
    const { repository } = await changedNotebooks();
    const { page, child, errors } = await openCodeReview(browser, repository, { width: 1300, height: 1600 });
    await page.getByText("6 cells: 3 changed, 1 moved.").waitFor();
    expect(await rowsOf(page, "orders.ipynb")).toEqual([
      "6 cells: 3 changed, 1 moved. Also different: 4 execution counts.",
      "Cell 1 markdown changed moved, was cell 6",
      "# Orders | # Orders",
      " | ",
      "of *2025* | of *2026*",
      "Show 3 unchanged cells, all with other execution counts, ids or metadata",
      "Cell 5 code changed was cell 4 In [2] → In [8]",
      'frame = read("orders.csv") | frame = read("all.csv")',
      "frame.head() | frame.head()",
      "Output: stdout",
      "12 rows | ",
      "Output: error",
      " | OSError: no file",
      "Cell 6 code changed was cell 5",
      "frame.plot() | frame.plot()",
      "Output: image/png",
      expect.stringContaining("before, 120 × 60"),
    ]);
    await page.getByAltText("the output of cell 6 after the change").waitFor();
    await page.getByRole("button", { name: "Show 3 unchanged cells" }).click();
    await page.getByText("step_b = 1").first().waitFor();
    expect(await page.getByText("In [1] → In [7]").count()).toBe(3);
    // A Python keyword has a color.
    const colors = await page
      .locator('[data-path="orders.ipynb"] .code-text', { hasText: "print(step_a)" })
      .first()
      .locator("span")
      .count();
    expect(colors).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Preview of cell 1", exact: true }).click();
    await page.getByRole("region", { name: "Before the change" }).getByText("2025").waitFor();
    await page.getByRole("region", { name: "After the change" }).getByText("2026").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(errors).toEqual([]);
    child.kill("SIGTERM");
  });

  it("reports a comment on a cell's line by cell, line and line of the file", async () => {
    const { repository, lineOf } = await changedNotebooks();
    const { page, ended, errors } = await openCodeReview(browser, repository, { width: 1300, height: 1600 });
    await page.getByText("6 cells: 3 changed, 1 moved.").waitFor();
    const line = lineOf("all.csv");
    await writeComment(page, "orders.ipynb", [line, line + 1], "Is this file there?");
    await page.getByText("Is this file there?").waitFor();

    // The comment is at the same line of the raw diff, and a comment from there names the cell too.
    await page.getByRole("button", { name: "Show the raw diff of orders.ipynb" }).click();
    await page.getByText('"frame = read(\\"all.csv\\")\\n",').waitFor();
    await page.getByText("Is this file there?").waitFor();
    const markdown = lineOf("of *2026*");
    await writeComment(page, "orders.ipynb", [markdown, markdown], "Sure?");
    await page.getByRole("button", { name: "Show orders.ipynb by cells" }).click();
    await page.getByText("6 cells: 3 changed, 1 moved.").waitFor();

    await page.getByRole("button", { name: "Comment on cell 1", exact: true }).nth(1).click();
    await page.locator(".comment-open textarea").pressSequentially("Too short.");
    await page.keyboard.press("Control+Enter");
    await sendFeedback(page);
    const { stdout } = await ended;
    expect(stdout).toContain(
      `Comment on lines ${line}-${line + 1} (new side): lines 1-2 of the source of cell 5 (code, id \`load\`)`,
    );
    expect(stdout).toContain('```\nframe = read("all.csv")\nframe.head()\n```');
    expect(stdout).toContain(
      `Comment on line ${markdown} (new side): line 3 of the source of cell 1 (markdown, id \`text\`)`,
    );
    // A cell whose lines are in one line of the file is named in the text.
    expect(stdout).toContain("Comment on the whole file\n\nCell 1: Too short.");
    expect(errors).toEqual([]);
  });

  it("that cannot be read by cells is shown as a raw diff with the reason", async () => {
    const { repository } = await changedNotebooks();
    const { page, child, errors } = await openCodeReview(browser, repository, { width: 1300, height: 2000 });
    const old = page.locator('[data-path="v3.ipynb"]');
    await old.getByText("raw: nbformat 3").waitFor();
    expect(await old.locator(".code").last().innerText()).toContain('"worksheets": [1]');
    // Even a notebook in a single line is compared by cells.
    await page.getByText("1 cell: 1 changed.").waitFor();
    expect(await rowsOf(page, "packed.ipynb")).toEqual([
      "1 cell: 1 changed.",
      "Cell 1 code changed",
      "a = 1 | a = 1",
      "b = 1 | b = 2",
    ]);
    await page.setViewportSize({ width: 360, height: 4_000 });
    // The name is shown completely, and the reason as far as there is room.
    const isCut = (selector: string) =>
      old.locator(selector).evaluate((element) => element.scrollWidth > element.clientWidth);
    await expect.poll(() => isCut(".file-path")).toBe(false);
    expect(errors).toEqual([]);
    child.kill("SIGTERM");
  });
});
