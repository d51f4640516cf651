import { describe, expect, it } from "vitest";
import { planServer } from "../../support/plan-server.ts";

const headers = { host: "localhost" };
const seen = "0123456789abcdef0123456789abcdef";

describe("a tab that shows another plan", () => {
  it.each(["/api/approve", "/api/deny"])("cannot decide by %s", async (path) => {
    const { post, context } = await planServer();
    const refused = await post(path, { planId: seen });
    expect(refused.statusCode).toBe(412);
    expect(refused.json().error).toMatch(/another plan is now open at this address/);
    expect(context.session.phase).toBe("waiting");
    expect((await post(path, { planId: context.mode.draftKey() })).statusCode).toBe(200);
  });

  it("stores its draft with its own plan", async () => {
    const { app, context } = await planServer();
    const put = (payload: object) => app.inject({ method: "PUT", url: "/api/draft", payload, headers });
    expect((await put({ generation: 3, content: "words", planId: seen })).statusCode).toBe(200);
    expect(await context.drafts.read(seen)).toMatchObject({ generation: 3, content: "words" });
    expect((await app.inject({ url: "/api/draft", headers })).json()).toMatchObject({ generation: 0 });
  });

  it.each(["../settings", "a/b", "", "x".repeat(65)])("cannot name a file by %j", async (planId) => {
    const { app } = await planServer();
    const payload = { generation: 1, content: null, planId };
    expect((await app.inject({ method: "PUT", url: "/api/draft", payload, headers })).statusCode).toBe(400);
  });
});
