import { expect, it } from "vitest";
import { codeServer } from "../support/code-server.ts";
import { FOREIGN_PAGES, letIn, REVIEW_ROUTES } from "../support/foreign-requests.ts";
import { planServer } from "../support/plan-server.ts";
import { testRepository } from "../support/test-repository.ts";

/** The tests in a real browser are in test/e2e/foreign-pages.test.ts. */
it("R1 a plan review rejects every request of another page", async () => {
  const { app, context } = await planServer();
  expect(await letIn(app, FOREIGN_PAGES, REVIEW_ROUTES)).toEqual([]);
  expect(context.session.phase).toBe("waiting");
  expect(await context.drafts.read(context.mode.draftKey())).toMatchObject({ generation: 0 });
  expect(await context.settings.read()).toEqual({ theme: "system", planSave: { enabled: true } });
});

it("R1 a code review rejects every request of another page", async () => {
  const { app, context, get } = await codeServer(await testRepository({ "a.txt": "a\n" }));
  const before = (await get("/api/diff/index")).json().diffType;
  expect(await letIn(app, FOREIGN_PAGES, REVIEW_ROUTES)).toEqual([]);
  expect(context.session.phase).toBe("waiting");
  expect((await get("/api/diff/index")).json().diffType).toBe(before);
});
