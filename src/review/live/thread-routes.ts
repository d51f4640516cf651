import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError } from "../../errors.ts";
import type { ReviewList, Thread, ThreadAuthor, ThreadList } from "../api-types.ts";
import { parseBody } from "../body-schemas.ts";
import type { ReviewContext } from "../context.ts";
import { callerKind } from "./caller-kind.ts";
import { checkRoundSeen } from "./check-round-seen.ts";
import { newMessageBody, newThreadBody, threadChangeBody } from "./thread-bodies.ts";

/** GET and POST /api/threads, POST /api/threads/{id}/messages, PATCH /api/threads/{id}, GET /api/reviews. */
export function threadRoutes(app: FastifyInstance, context: ReviewContext): void {
  const { threads, mode } = context;

  app.get("/api/threads", async (): Promise<ThreadList> => {
    const { log } = await threads.open();
    return { threads: [...log.threads.values()] };
  });

  app.post("/api/threads", async (request): Promise<Thread> => {
    const caller = callerKind(request, threads.token);
    const body = parseBody(newThreadBody, request.body ?? null);
    const author = resolveAuthor(caller, body.author);
    checkRoundSeen(body.round, threads.live);
    const [store, located] = await Promise.all([threads.open(), mode.anchors.locate(body.anchor)]);
    checkRoundSeen(body.round, threads.live);
    return store.create(body, located, author);
  });

  app.post<ById>("/api/threads/:id/messages", async (request): Promise<Thread> => {
    const caller = callerKind(request, threads.token);
    const store = await threads.open();
    expectThread(store.log.threads.get(request.params.id), request);
    const body = parseBody(newMessageBody, request.body ?? null);
    const thread = await store.reply(request.params.id, body, resolveAuthor(caller, body.author));
    return expectThread(thread, request);
  });

  app.patch<ById>("/api/threads/:id", async (request): Promise<Thread> => {
    const caller = callerKind(request, threads.token);
    const store = await threads.open();
    const known = expectThread(store.log.threads.get(request.params.id), request);
    const body = parseBody(threadChangeBody, request.body ?? null);
    const author = resolveAuthor(caller, body.author);
    if (caller === "agent" && (body.state === "dismissed" || body.accepted))
      throw new AppError("forbidden", "Only the person can accept or dismiss a finding.");
    if (known.type !== "finding" && (body.state === "dismissed" || body.accepted))
      throw new AppError("validation", "Only a finding can be accepted or dismissed.");
    return expectThread(await store.change(request.params.id, body, author), request);
  });

  app.get("/api/reviews", async (): Promise<ReviewList> => ({ reviews: await threads.others() }));
}

interface ById {
  readonly Params: { readonly id: string };
}

function expectThread(thread: Thread | undefined, { params: { id } }: FastifyRequest<ById>): Thread {
  if (thread) return thread;
  throw new AppError("not_found", `This review has no thread "${id}".`);
}

/** Returns the author of a message or a change. Throws `validation` if the caller names an author that it cannot be. */
function resolveAuthor(caller: "page" | "agent", author: ThreadAuthor | undefined): ThreadAuthor {
  const isPerson = author?.kind === "person";
  if (caller === "page") {
    if (author && !isPerson) throw new AppError("validation", "author: a page writes as the person");
    return author ?? { kind: "person", name: "" };
  }
  if (isPerson) throw new AppError("validation", "author: an agent cannot write as the person");
  return author ?? { kind: "agent", name: "agent" };
}
