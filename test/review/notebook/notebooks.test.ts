import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeCellPosition } from "../../../src/render/notebook/describe-cell-position.ts";
import type { ComparedNotebook, NotebookDiffLine } from "../../../src/review/api-types.ts";
import { compareNotebooks } from "../../../src/review/notebook/compare-notebooks.ts";
import { type ParsedNotebook, parseNotebook } from "../../../src/review/notebook/parse-notebook.ts";
import { findCellPosition } from "../../../src/review/notebook/read-notebook.ts";
import { image, notebookText, splitText, stream, type TestCell } from "../../support/notebooks.ts";

function parsed(text: string): ParsedNotebook {
  const result = parseNotebook(text);
  if ("problem" in result) throw new Error(result.problem);
  return result.notebook;
}

function compare(before: readonly TestCell[], after: readonly TestCell[]): ComparedNotebook {
  return compareNotebooks(parsed(notebookText(before)), parsed(notebookText(after)));
}

const summary = ({ cells }: ComparedNotebook) =>
  cells.map(({ change, moved, old, new: now }) =>
    [old?.number ?? "-", now?.number ?? "-", change, ...(moved ? ["moved"] : [])].join(" "),
  );

describe("reading a notebook", () => {
  it("finds the line of the file that each line of a cell is in", () => {
    const text = notebookText([
      { source: "import os\n\nprint(1)", outputs: [stream("1\n2\n")], count: 3, id: "a1" },
      { kind: "markdown", source: "# Title\n" },
    ]);
    const [code, markdown] = parsed(text).cells;
    const fileLines = text.split("\n");
    expect(code?.source.map((line) => [line.text, fileLines[line.line - 1]?.trim()])).toEqual([
      ["import os", '"import os\\n",'],
      ["", '"\\n",'],
      ["print(1)", '"print(1)"'],
    ]);
    expect(code?.outputs[0]?.lines.map(({ line }) => fileLines[line - 1]?.trim())).toEqual([
      '"1\\n",',
      '"2\\n"',
    ]);
    expect(fileLines[(code?.line ?? 0) - 1]).toBe("  {");
    expect(fileLines[(code?.endLine ?? 0) - 1]).toBe("  },");
    expect(markdown?.source.map((line) => line.text)).toEqual(["# Title"]);
  });

  it("removes ANSI codes, and what a progress bar has overwritten", () => {
    const error = {
      output_type: "error",
      ename: "ValueError",
      evalue: "no",
      traceback: ["\u001b[0;31mValueError\u001b[0m", "line 1\nline 2"],
    };
    const [cell] = parsed(
      notebookText([{ source: "x", outputs: [error, stream("10%\r50%\r100%\n")] }]),
    ).cells;
    expect(cell?.outputs.map(({ label, lines }) => [label, lines.map(({ text }) => text)])).toEqual([
      ["error", ["ValueError", "line 1", "line 2"]],
      ["stdout", ["100%"]],
    ]);
  });

  it("names why a file cannot be read by cells", () => {
    const problems = [
      "{",
      "[]",
      '{"nbformat": 3, "worksheets": []}',
      '{"nbformat": 4, "cells": [{"cell_type": "code"}]}',
    ];
    expect(problems.map((text) => parseNotebook(text))).toEqual([
      { problem: "not valid JSON" },
      { problem: "not a valid notebook" },
      { problem: "nbformat 3" },
      { problem: "not a valid notebook" },
    ]);
  });

  it("keeps to the last of members with the same name, as JSON.parse does", () => {
    const text = '{"nbformat":4,"cells":\n[],\n"cells":[{"cell_type":"raw","source":\n["a"]}]}';
    expect(parsed(text).cells[0]?.source).toEqual([{ text: "a", line: 4 }]);
  });

  it("survives JSON nested far deeper than a notebook", () => {
    const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
    const text = notebookText([{ source: "a" }]).replace('"metadata": {}', `"metadata": {"x": ${deep}}`);
    const result = parseNotebook(text);
    // Node.js 26 parses and writes JSON of any depth.
    if ("problem" in result) expect(result.problem).toBe("nested too deeply");
    else expect(result.notebook.cells[0]?.source).toMatchObject([{ text: "a" }]);
    expect(parsed(text.replace('"metadata"', '"other"')).cells[0]?.source).toMatchObject([{ text: "a" }]);
  });

  it("takes a cell's language from its magic, the editor's mark, or the kernel", () => {
    const cells = parsed(
      notebookText([
        { source: "%%bash\nls" },
        { source: "1", metadata: { vscode: { languageId: "sql" } } },
        { source: "x = 1" },
        { kind: "markdown", source: "# A" },
      ]),
    ).cells;
    expect(cells.map(({ language }) => language)).toEqual(["bash", "sql", "python", "markdown"]);
  });
});

describe("comparing notebooks", () => {
  it("matches cells by id although their text has changed", () => {
    const result = compare(
      [
        { id: "a", source: "one = 1" },
        { id: "b", source: "two" },
      ],
      [
        { id: "a", source: "something else entirely" },
        { id: "b", source: "two" },
      ],
    );
    expect(summary(result)).toEqual(["1 1 changed", "2 2 same"]);
  });

  it("matches cells without ids by content, and edited ones between them by shared lines", () => {
    const result = compare(
      [{ source: "import os" }, { source: "a = 1\nb = 2\nc = 3" }, { source: "old" }, { source: "end" }],
      [{ source: "import os" }, { source: "a = 1\nb = 22\nc = 3" }, { source: "end" }, { source: "new" }],
    );
    expect(summary(result)).toEqual(["1 1 same", "2 2 changed", "3 - removed", "4 3 same", "- 4 added"]);
  });

  it("matches reworded prose by its words, and no other", () => {
    const prose = (source: string): TestCell => ({ kind: "markdown", source });
    const result = compare(
      [prose("We begin by grouping\nthe passengers by gender."), prose("Delete this one.")],
      [prose("We begin by grouping all\nthe passengers by sex."), prose("Something new for readers.")],
    );
    expect(summary(result)).toEqual(["1 1 changed", "2 - removed", "- 2 added"]);
  });

  it("recognizes moved cells, also edited ones", () => {
    const [a, b, c] = ["a", "b", "c"].map((id) => ({ id, source: `${id} = 1` }));
    if (!a || !b || !c) throw new Error("no cells");
    expect(summary(compare([a, b, c], [b, c, { ...a, source: "a = 2" }]))).toEqual([
      "2 1 same",
      "3 2 same",
      "1 3 changed moved",
    ]);
  });

  it("tells changes of execution counts, ids and metadata from changes of the content", () => {
    const result = compare(
      [{ id: "a", source: "x", count: 1, metadata: { tags: ["a"] } }, { source: "y" }],
      [{ id: "b", source: "x", count: 7, metadata: { tags: ["b"] } }, { source: "y" }],
    );
    expect(summary(result)).toEqual(["1 1 details", "2 2 same"]);
    const metadata = result.cells[0]?.parts.find(({ part }) => part === "metadata");
    expect(metadata?.lines.map(([kind, text]) => [kind, text])).toEqual([
      [2, 'tags: ["a"]'],
      [1, 'tags: ["b"]'],
    ]);
  });

  it("shows only outputs that differ, images by the numbers of their outputs", () => {
    const before = [stream("same\n"), image(Buffer.from("one")), stream("1\n", "stderr")];
    const after = [stream("same\n"), image(Buffer.from("two")), stream("2\n", "stderr")];
    const [cell] = compare([{ source: "x", outputs: before }], [{ source: "x", outputs: after }]).cells;
    expect(cell?.parts.slice(1).map(({ label, images, lines }) => [label, images, lines.length])).toEqual([
      ["image/png", { old: 2, new: 2 }, 0],
      ["stderr", undefined, 2],
    ]);
  });

  it("gives up on texts that differ too much", () => {
    const lines = (factor: number) =>
      Array.from({ length: 20_000 }, (_, line) => `${(line * factor) % 7919}\n`).join("");
    const [cell] = compare(
      [{ source: "x", outputs: [stream(lines(3))] }],
      [{ source: "x", outputs: [stream(lines(5))] }],
    ).cells;
    const output = cell?.parts.find(({ part }) => part === "output");
    expect(output?.lines.filter(([kind]) => kind !== 1)).toHaveLength(20_000);
    expect(output?.lines.filter(([kind]) => kind !== 2)).toHaveLength(20_000);
  });

  it("can ignore whitespace", () => {
    const [before, after] = ["if x:\n  y", "if x:\n    y"].map((source) =>
      parsed(notebookText([{ source }])),
    );
    expect(summary(compareNotebooks(before, after))).toEqual(["1 1 changed"]);
    expect(summary(compareNotebooks(before, after, { ignoreSpace: true }))).toEqual(["1 1 same"]);
  });

  const texts = fc.array(fc.constantFrom("", "a", "b = 1", "c", "  d", "é", '"q"\\'), { maxLength: 6 });
  const testCell = fc.record({
    kind: fc.constantFrom("code" as const, "markdown" as const, "raw" as const),
    source: texts.map((lines) => lines.join("\n")),
    id: fc.constantFrom("a", "b", "c", "d", "e"),
    outputs: fc.array(
      texts.map((lines) => stream(`${lines.join("\n")}\n`)),
      { maxLength: 2 },
    ),
  });
  const cells = fc.array(
    fc.oneof(
      testCell,
      testCell.map(({ id: _id, ...rest }) => rest),
    ),
    { maxLength: 8 },
  );
  const format = fc.record({ indent: fc.constantFrom(0, 1, 2), joined: fc.boolean() });

  it("shows every source line of both notebooks exactly once", () => {
    fc.assert(
      fc.property(cells, cells, format, (before, after, options) => {
        const [old, now] = [parsed(notebookText(before, options)), parsed(notebookText(after, options))];
        const { cells: compared } = compareNotebooks(old, now);
        const shown = compared.flatMap(({ parts }) =>
          parts.filter(({ part }) => part === "source").flatMap(({ lines }) => lines),
        );
        const linesOn = (side: 2 | 3) =>
          shown
            .filter((line: NotebookDiffLine) => line[side] > 0)
            .map((line) => `${line[side]} ${line[1]}`)
            .sort();
        const linesOf = ({ cells: all }: ParsedNotebook) =>
          all.flatMap(({ source }) => source.map(({ text, line }) => `${line} ${text}`)).sort();
        expect(linesOn(2)).toEqual(linesOf(old));
        expect(linesOn(3)).toEqual(linesOf(now));
        expect(compared.flatMap(({ old: cell }) => cell?.number ?? []).sort()).toEqual(
          old.cells.map(({ number }) => number),
        );
        expect(compared.flatMap(({ new: cell }) => cell?.number ?? [])).toEqual(
          now.cells.map(({ number }) => number),
        );
      }),
    );
  });

  it("finds the place of every source line from the line of the file, and back", () => {
    fc.assert(
      fc.property(cells, (all) => {
        const text = notebookText(all);
        const fileLines = text.split("\n");
        for (const cell of parsed(text).cells) {
          const stored = splitText(all[cell.number - 1]?.source ?? "");
          for (const [index, { line }] of cell.source.entries()) {
            const found = findCellPosition(parsed(text).cells, line, line);
            expect(found).toMatchObject({ cell: cell.number, part: "source", lineStart: index + 1 });
            expect(JSON.parse(fileLines[line - 1]?.replace(/,$/, "") ?? "")).toBe(stored[index]);
          }
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe("the place of a comment in a notebook", () => {
  const text = notebookText([
    { id: "a1", source: "import os\nimport re", outputs: [stream("1\n2\n")] },
    { kind: "markdown", source: "# Title" },
  ]);
  const { cells } = parsed(text);
  const lineWith = (part: string) => text.split("\n").findIndex((line) => line.includes(part)) + 1;

  it("names the cell, its part and its lines", () => {
    const found = [
      [lineWith("import os"), lineWith("import re")],
      [lineWith('"2\\n"'), lineWith('"2\\n"')],
      [lineWith("execution_count"), lineWith("execution_count")],
      [lineWith("# Title"), lineWith("# Title")],
    ].map(([start = 0, end = 0]) => findCellPosition(cells, start, end));
    expect(found.map((position) => position && describeCellPosition(position))).toEqual([
      "lines 1-2 of the source of cell 1 (code, id `a1`)",
      "line 2 of the output of cell 1 (code, id `a1`)",
      "the metadata of cell 1 (code, id `a1`)",
      "line 1 of the source of cell 2 (markdown)",
    ]);
  });

  it("is unknown in a line of the file that holds several cells", () => {
    const joined = parsed(notebookText([{ source: "a" }, { source: "b" }], { indent: 0 }));
    expect(findCellPosition(joined.cells, 1, 1)).toBeUndefined();
  });

  it("is unknown outside the cells", () => {
    expect(findCellPosition(cells, lineWith("nbformat"), lineWith("nbformat"))).toBeUndefined();
  });
});
