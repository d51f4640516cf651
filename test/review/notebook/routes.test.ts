import { describe, expect, it } from "vitest";
import { batchText } from "../../../src/review/live/batch-text.ts";
import { codeServer } from "../../support/code-server.ts";
import { plainPng } from "../../support/images.ts";
import { image, notebookText, stream } from "../../support/notebooks.ts";
import { AGENT_TOKEN } from "../../support/plan-server.ts";
import { testRepository } from "../../support/test-repository.ts";

const red = plainPng(4, 4, [200, 0, 0]);
const blue = plainPng(4, 4, [0, 0, 200]);

async function changedNotebook() {
  const before = [
    { id: "a1", source: "import os", count: 1 },
    { id: "b2", source: "x = 1\nprint(x)", count: 2, outputs: [stream("1\n"), image(red)] },
  ];
  const repository = await testRepository({
    "my notes.ipynb": notebookText(before),
    "old.ipynb": '{"nbformat": 3, "worksheets": []}\n',
  });
  const after = [
    { id: "a1", source: "import os", count: 4 },
    { id: "b2", source: "x = 2\nprint(x)", count: 5, outputs: [stream("2\n"), image(blue)] },
  ];
  await repository.write({
    "my notes.ipynb": notebookText(after),
    "old.ipynb": '{"nbformat": 3, "worksheets": [1]}\n',
    "new.ipynb": notebookText([{ source: "a" }]),
  });
  return { repository, text: notebookText(after) };
}

describe("GET /api/diff/notebook", () => {
  it("compares both sides by cells, or names why it cannot", async () => {
    const { repository } = await changedNotebook();
    const server = await codeServer(repository);
    const { cells } = (await server.get("/api/diff/notebook?path=my+notes.ipynb")).json();
    expect(cells).toMatchObject([
      { change: "details", old: { executionCount: 1 }, new: { executionCount: 4, id: "a1" } },
      { change: "changed", parts: [{ part: "source" }, { label: "stdout" }, { images: { old: 2, new: 2 } }] },
    ]);
    const added = (await server.get("/api/diff/notebook?path=new.ipynb")).json();
    expect(added.cells).toMatchObject([{ change: "added", new: { number: 1 } }]);
    const problem = (await server.get("/api/diff/notebook?path=old.ipynb")).json();
    expect(problem).toEqual({ problem: "nbformat 3" });
    expect((await server.get("/api/diff/notebook?path=my+notes.ipynb&id=other")).statusCode).toBe(409);
  });
});

describe("GET /api/notebook", () => {
  it("returns the cells of one side, without the bytes of images", async () => {
    const { repository } = await changedNotebook();
    const server = await codeServer(repository);
    const body = (await server.get("/api/notebook?path=my+notes.ipynb&side=old")).json();
    expect(body).toMatchObject({ side: "old", language: "python", cells: [{ number: 1 }, { number: 2 }] });
    expect(body.cells[1].outputs[1]).toEqual({
      label: "image/png",
      image: "image/png",
      lines: [{ text: "<Figure size 640x480 with 1 Axes>", line: expect.any(Number) }],
    });
    expect((await server.get("/api/notebook?path=old.ipynb&side=new")).statusCode).toBe(400);
    expect((await server.get("/api/notebook?path=none.ipynb&side=new")).statusCode).toBe(404);
  });

  it("returns the image of an output, sandboxed", async () => {
    const { repository } = await changedNotebook();
    const server = await codeServer(repository);
    const get = (side: string, output: number) =>
      server.get(`/api/notebook/image?path=my+notes.ipynb&side=${side}&cell=2&output=${output}`);
    const found = await get("old", 2);
    expect(found.rawPayload).toEqual(red);
    expect(found.headers).toMatchObject({
      "content-type": "image/png",
      "content-security-policy": "default-src 'none'; sandbox",
    });
    expect((await get("new", 2)).rawPayload).toEqual(blue);
    expect((await get("new", 1)).statusCode).toBe(404);
  });
});

describe("feedback on a notebook", () => {
  it("names the cell and the line in it beside the line of the file", async () => {
    const { repository, text } = await changedNotebook();
    const server = await codeServer(repository);
    const line = text.split("\n").findIndex((each) => each.includes("x = 2")) + 1;
    const annotation = { id: "1", type: "comment", filePath: "my notes.ipynb", side: "new", text: "Why?" };
    await server.post("/api/feedback", { annotations: [{ ...annotation, lineStart: line, lineEnd: line }] });
    const outcome = await server.context.session.outcome;
    if (outcome.kind !== "decided" || outcome.decision.kind !== "feedback") throw new Error("not decided");
    expect(outcome.decision.text).toContain(
      `### 1. Comment on line ${line} (new side): line 1 of the source of cell 2 (code, id \`b2\`)`,
    );
  });

  it("names the cell on threads, also after the cells above have changed", async () => {
    const { repository, text } = await changedNotebook();
    const server = await codeServer(repository);
    const lines = text.split("\n");
    const line = lines.findIndex((each) => each.includes("print(x)")) + 1;
    const at = { kind: "lines", path: "my notes.ipynb", side: "new", lineStart: line, lineEnd: line };
    const response = await server.app.inject({
      method: "POST",
      url: "/api/threads",
      headers: { host: "localhost", authorization: `Bearer ${AGENT_TOKEN}` },
      payload: { anchor: at, type: "comment", markdown: "Why?", author: { kind: "agent", name: "a" } },
    });
    const { anchor } = response.json();
    expect(anchor.cell).toEqual({
      cell: 2,
      id: "b2",
      kind: "code",
      part: "source",
      lineStart: 2,
      lineEnd: 2,
    });

    await repository.write({
      "my notes.ipynb": notebookText([
        { id: "a1", source: "import os", count: 4 },
        { id: "c3", source: "y = 1\nz = 1" },
        { id: "b2", source: "# New\nx = 2\nprint(x)", count: 5, outputs: [stream("2\n"), image(blue)] },
      ]),
    });
    await server.post("/api/diff/switch", { diffType: "uncommitted" });
    const [thread] = (await server.get("/api/threads")).json().threads;
    expect(thread.outdated).toBe(false);
    expect(thread.anchor.lineStart).toBeGreaterThan(line);
    expect(thread.anchor.cell).toMatchObject({ cell: 3, id: "b2", lineStart: 3, lineEnd: 3 });
    expect(batchText({ event: "feedback", round: 2, threads: [thread], feedback: "" })).toContain(
      `\`my notes.ipynb\`, line ${thread.anchor.lineStart} (new side): line 3 of the source of cell 3 (code, id \`b2\`)`,
    );
  });
});
