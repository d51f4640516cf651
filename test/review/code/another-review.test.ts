import { describe, expect, it } from "vitest";
import { codeServer } from "../../support/code-server.ts";
import { testRepository } from "../../support/test-repository.ts";

const headers = { host: "localhost" };
const other = `code-${"0".repeat(32)}`;

async function changedServer() {
  const repository = await testRepository({ "a.txt": "one\n" });
  await repository.write({ "a.txt": "two\n" });
  const server = await codeServer(repository);
  const putDraft = (payload: object) =>
    server.app.inject({ method: "PUT", url: "/api/draft", payload, headers });
  return { ...server, putDraft };
}

describe("a tab that shows another code review", () => {
  it("cannot decide; a tab with the current review's id, or none, can", async () => {
    const { get, post, context } = await changedServer();
    const refused = await post("/api/feedback", { feedback: "Fine", approved: true, sessionId: "session-0" });
    expect(refused.statusCode).toBe(412);
    expect(refused.json().error).toMatch(/another review is now open at this address/);
    expect(context.session.phase).toBe("waiting");
    const { sessionId } = (await get("/api/diff/index")).json();
    expect((await post("/api/feedback", { feedback: "Fine", sessionId })).statusCode).toBe(200);
  });

  it("stores its draft with its own review", async () => {
    const { get, putDraft, context } = await changedServer();
    expect((await putDraft({ generation: 3, content: "words", reviewId: other })).statusCode).toBe(200);
    expect(await context.drafts.read(other)).toMatchObject({ generation: 3, content: "words" });
    expect((await get("/api/draft")).json()).toMatchObject({ generation: 0 });
    const { reviewId } = (await get("/api/diff/index")).json();
    expect((await putDraft({ generation: 1, content: "own", reviewId })).statusCode).toBe(200);
    expect((await get("/api/draft")).json()).toMatchObject({ generation: 1, content: "own" });
  });

  it.each(["../settings", "code-", "code-/a", `code-${"a".repeat(65)}`])(
    "cannot name a file by %j",
    async (reviewId) => {
      const { putDraft } = await changedServer();
      expect((await putDraft({ generation: 1, content: null, reviewId })).statusCode).toBe(400);
    },
  );
});
