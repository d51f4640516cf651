import fastify from "fastify";
import { onTestFinished } from "vitest";
import type { RoundStore } from "../../src/review/code/rounds/round-store.ts";
import type { ReviewContext } from "../../src/review/context.ts";
import { createEventHub } from "../../src/review/events.ts";
import { createReviewThreads } from "../../src/review/live/review-threads.ts";
import { createPullMode } from "../../src/review/pr/mode.ts";
import type { FakePull } from "./forges/fake-pull.ts";

/** Starts a review of a pull request. A later review with the same folder takes over its threads. */
export async function startPullReview(fake: FakePull, dataDirectory: string, reviewId = "review1") {
  const events = createEventHub("session");
  const threads = createReviewThreads({
    dataDirectory,
    reviewId,
    token: "",
    events,
    subject: "0".repeat(16),
  });
  const mode = createPullMode({
    forge: fake.forge,
    opened: fake.pull,
    clone: undefined,
    dataDirectory,
    rounds: {} as RoundStore,
    editorLink: "",
    json: false,
  });
  const notes: string[] = [];
  const onNote = (text: string) => void notes.push(text);
  const session = { phase: "waiting" };
  const context = { threads, events, session, onNote } as unknown as ReviewContext;
  const app = fastify();
  mode.registerRoutes(app, context);
  onTestFinished(async () => {
    await app.close();
    events.close();
    await threads.close();
  });
  const store = await threads.open();
  const shown = () => [...store.log.threads.values()];
  const switchTo = (diffType: string) =>
    app.inject({ method: "POST", url: "/api/diff/switch", payload: { diffType } });
  return { store, shown, notes, switchTo, app, mode, refresh: () => mode.refresh(context, () => {}) };
}
