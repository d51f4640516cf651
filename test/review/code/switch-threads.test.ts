import { describe, expect, it, vi } from "vitest";
import { AppError } from "../../../src/errors.ts";
import { type CodeServer, codeServer } from "../../support/code-server.ts";
import { testRepository } from "../../support/test-repository.ts";

const PAGE = { host: "localhost", origin: "http://localhost" };

/** A review with a comment on the line `third` of the working tree, which two added lines precede. */
async function commentedReview() {
  const repository = await testRepository({ "a.txt": "first\nsecond\n" });
  await repository.write({ "a.txt": "first\nsecond\nthird\n" });
  await repository.commit();
  await repository.write({ "a.txt": "new\nnew\nfirst\nsecond\nthird\n" });
  const server = await codeServer(repository);
  const anchor = { kind: "lines", path: "a.txt", side: "new", lineStart: 5, lineEnd: 5 };
  await server.app.inject({
    method: "POST",
    url: "/api/threads",
    headers: PAGE,
    payload: { anchor, type: "comment", markdown: "Why?" },
  });
  return server;
}

const switchTo = ({ post }: CodeServer, diffType: string) => post("/api/diff/switch", { diffType });

async function threadOf({ context }: CodeServer) {
  const { log } = await context.threads.open();
  return [...log.threads.values()][0];
}

describe("threads and the switch to another diff", () => {
  it("keeps the diff if the threads cannot be moved", async () => {
    const server = await commentedReview();
    const store = await server.context.threads.open();
    const failure = new AppError("storage", "No space left");
    const follow = vi.spyOn(store, "follow").mockRejectedValueOnce(failure);
    expect((await switchTo(server, "last-commit")).statusCode).toBe(500);
    expect((await server.get("/api/diff")).json()).toMatchObject({ diffType: "uncommitted" });
    expect(await threadOf(server)).toMatchObject({ anchor: { lineStart: 5 }, outdated: false });
    follow.mockRestore();
    expect((await switchTo(server, "last-commit")).json()).toMatchObject({ diffType: "last-commit" });
    expect(await threadOf(server)).toMatchObject({
      anchor: { lineStart: 3, code: "third" },
      outdated: false,
    });
  });
});
