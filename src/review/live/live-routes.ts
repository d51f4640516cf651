import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply } from "fastify";
import { AppError } from "../../errors.ts";
import type { LiveState } from "../api-types.ts";
import { parseBody } from "../body-schemas.ts";
import type { ReviewContext } from "../context.ts";
import { endWhenFlushed, takeDecision } from "../take-decision.ts";
import { expectAgent, expectPage } from "./caller-kind.ts";
import { checkRoundSeen } from "./check-round-seen.ts";
import type { LiveSession } from "./live-session.ts";
import type { TakenBatch } from "./taken-batch.ts";
import { finishBody, sendBody, statusBody, waitBody } from "./thread-bodies.ts";

/**
 * GET /api/live; POST /api/send and /api/finish for the page; POST /api/wait, /api/batches/{id}, /api/refresh,
 * /api/status and /api/end for agents. A one-shot review rejects these requests with 400.
 */
export function liveRoutes(app: FastifyInstance, context: ReviewContext): void {
  const { threads, mode, session } = context;
  /** Batches whose response is still open. */
  const receiving = new Map<string, OpenBatch>();

  app.addHook("onRequest", async () => threads.live?.touch());

  app.get("/api/live", async (): Promise<LiveState> => expectLive(context).state);

  app.post("/api/send", async (request) => {
    expectPage(request, threads.token);
    const { feedback = "", idempotencyKey } = parseBody(sendBody, request.body);
    const live = openSession(context);
    // The diff is kept before the agent can refresh it.
    const keeping = mode.keepSent?.(live.state.round);
    await live.send(feedback, idempotencyKey);
    await keeping;
    return { ok: true };
  });

  app.post("/api/finish", async (request, reply) => {
    expectPage(request, threads.token);
    const live = expectLive(context);
    const body = parseBody(finishBody, request.body ?? null);
    const { approved, feedback: text = "", idempotencyKey, round } = body;
    const feedback = live.hasSent(text, idempotencyKey) ? "" : text;
    if (session.phase !== "waiting" || live.isClosed)
      throw new AppError("already_decided", "Already decided");
    if (approved) {
      const proposal = await mode.approval(context, feedback);
      if (round !== undefined) await mode.catchUp?.(context);
      checkRoundSeen(round, live);
      return takeDecision(context, reply, proposal);
    }
    await live.close("ended", feedback, true);
    endWhenFlushed(reply, () => session.abandon("ended"));
    return { ok: true, doubt: live.isDeserted ? "disconnected" : undefined };
  });

  app.post("/api/wait", async (request, reply) => {
    expectAgent(request, threads.token);
    const live = expectLive(context);
    const { timeout, again = false, hold = false, doubtful, author } = parseBody(waitBody, request.body);
    if (again) {
      const last = live.again();
      if (!last) throw new AppError("not_found", "No feedback has been delivered yet.");
      return { ...last, id: "" };
    }
    const disconnected = disconnectSignal(reply);
    const agent = author?.name ?? "";
    const batch = await live.take({ timeout, signal: disconnected, agent, isDoubtful: doubtful });
    if (!batch) return { event: null };
    const content = { ...batch.content, id: batch.id };
    if (!hold || batch.id === "") {
      confirmWhenSent(reply, batch);
      return content;
    }
    const body = openBatch(reply, batch);
    receiving.set(batch.id, body);
    reply.raw.once("close", () => receiving.delete(batch.id));
    body.stream.push(`${JSON.stringify(content)}\n`);
    return reply.type("application/json; charset=utf-8").send(body.stream);
  });

  app.post<ById>("/api/batches/:id", async (request) => {
    expectAgent(request, threads.token);
    const open = receiving.get(request.params.id);
    if (open) await open.confirm();
    else if (!(await expectLive(context).recordDelivery(request.params.id)))
      throw new AppError("not_found", `There is no batch "${request.params.id}" in this review.`);
    return { ok: true };
  });

  app.post("/api/refresh", async (request) => {
    expectAgent(request, threads.token);
    const live = openSession(context);
    live.sawAgent("");
    return { ok: true, round: await live.nextRound((onTaken) => mode.refresh(context, onTaken)) };
  });

  app.post("/api/status", async (request) => {
    expectAgent(request, threads.token);
    const { text, author } = parseBody(statusBody, request.body ?? null);
    openSession(context).setProgress(text, author?.name ?? "");
    return { ok: true };
  });

  app.post("/api/end", async (request, reply) => {
    expectAgent(request, threads.token);
    const live = openSession(context);
    if (session.phase !== "waiting") throw new AppError("already_decided", "Already decided");
    await live.close("ended", "", false);
    endWhenFlushed(reply, () => session.abandon("ended"));
    return { ok: true };
  });
}

interface ById {
  readonly Params: { readonly id: string };
}

/** Returns the session. Throws `validation` in a one-shot review. */
function expectLive({ threads }: ReviewContext): LiveSession {
  if (threads.live) return threads.live;
  throw new AppError(
    "validation",
    "This review is not live. Start a live one with sallyport review code --live or sallyport review plan --live FILE.",
  );
}

/** Returns the open session. Throws as `expectLive` does, and `already_decided` if the review has ended. */
function openSession(context: ReviewContext): LiveSession {
  const live = expectLive(context);
  if (live.isClosed) throw new AppError("already_decided", "The review has ended.");
  return live;
}

function disconnectSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once("close", () => controller.abort());
  if (reply.raw.closed) controller.abort();
  return controller.signal;
}

/**
 * Confirms a batch once its response was sent; if the client disconnects before that, the next `wait` gets the batch.
 */
function confirmWhenSent(reply: FastifyReply, batch: TakenBatch): void {
  let isSent = false;
  reply.raw.once("finish", () => {
    isSent = true;
    batch.confirm().catch(() => {});
  });
  reply.raw.once("close", () => {
    if (!isSent) batch.release();
  });
  if (reply.raw.closed) batch.release();
}

/** A response that stays open until its batch is confirmed. */
interface OpenBatch {
  readonly stream: Readable;
  confirm(): Promise<void>;
}

function openBatch(reply: FastifyReply, batch: TakenBatch): OpenBatch {
  const stream = new Readable({ read() {} });
  let isSettled = false;
  const release = () => {
    if (!isSettled) batch.release();
    isSettled = true;
  };
  if (reply.raw.closed) release();
  else reply.raw.once("close", release);
  return {
    stream,
    async confirm() {
      if (isSettled) return;
      isSettled = true;
      await batch.confirm();
      stream.push(null);
    },
  };
}
