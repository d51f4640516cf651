import { describe, expect, it } from "vitest";
import type { DiffIndex, DiffMoves } from "../../../../src/review/api-types.ts";
import { codeServer } from "../../../support/code-server.ts";
import { testRepository } from "../../../support/test-repository.ts";

const before = Array.from(
  { length: 6 },
  (_, index) => `export const setting${index} = readSetting(${index});`,
);
const edited = before.map((line) => line.replace("readSetting(3)", "loadSetting(3)"));

async function movedRepository() {
  const repository = await testRepository({
    "src/settings.ts": `// Settings\n${before.join("\n")}\n`,
    "src/other.ts": "// Other\n",
  });
  await repository.write({
    "src/settings.ts": "// Settings\n",
    "src/other.ts": `// Other\n\n${edited.join("\n")}\n`,
  });
  return repository;
}

describe("GET /api/diff/moves", () => {
  it("links both ends of a block that moved to another file, with the lines that were edited", async () => {
    const server = await codeServer(await movedRepository());
    const { diffId }: DiffIndex = (await server.get("/api/diff/index")).json();
    const response: DiffMoves = (await server.get(`/api/diff/moves?id=${diffId}`)).json();
    expect(response).toEqual({
      diffId,
      moves: [
        {
          from: { path: "src/settings.ts", lineStart: 2, lineEnd: 7 },
          to: { path: "src/other.ts", lineStart: 3, lineEnd: 8 },
          changed: true,
        },
      ],
    });
  });

  it("returns 409 for a diff that was taken again, and 400 for a bad query", async () => {
    const server = await codeServer(await movedRepository());
    expect((await server.get("/api/diff/moves?id=other")).statusCode).toBe(409);
    expect((await server.get("/api/diff/moves?w=2")).statusCode).toBe(400);
  });

  it("finds the moves of every later diff again", async () => {
    const repository = await movedRepository();
    const server = await codeServer(repository);
    await repository.write({ "src/other.ts": "// Other\n" });
    await server.post("/api/diff/switch", { diffType: "uncommitted" });
    expect((await server.get("/api/diff/moves")).json().moves).toEqual([]);
  });
});
