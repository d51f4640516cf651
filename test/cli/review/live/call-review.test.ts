import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { callReview } from "../../../../src/cli/review/live/call-review.ts";
import type { RunningReview } from "../../../../src/review/live/running-files.ts";
import { AGENT_TOKEN, planServer } from "../../../support/plan-server.ts";

it("reports that the review has ended for a call that arrives while the server closes", async () => {
  const { app } = await planServer();
  let release = () => {};
  const blocked = new Promise<void>((resolve) => {
    release = resolve;
  });
  app.addHook("preClose", () => blocked);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const review = { id: "review1", port, token: AGENT_TOKEN } as RunningReview;
  const closed = app.close();
  const call = callReview(review, { method: "POST", path: "/api/wait", body: { timeout: 0 } });
  await expect(call).rejects.toMatchObject({ code: "review_ended" });
  release();
  await closed;
});
