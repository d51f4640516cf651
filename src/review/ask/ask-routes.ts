import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply } from "fastify";
import { z } from "zod";
import { AppError, getErrorMessage } from "../../errors.ts";
import type { AskBody, AskPrompt, Thread } from "../api-types.ts";
import { parseBody } from "../body-schemas.ts";
import type { ReviewContext } from "../context.ts";
import { expectPage } from "../live/caller-kind.ts";
import { sentAnchor } from "../live/thread-bodies.ts";
import { type AskTarget, askUrl } from "./ask-target.ts";
import { composePrompt, type ModelMessage, promptText } from "./compose-prompt.ts";

const askBody = z
  .object({
    thread: z.string().exactOptional(),
    anchor: sentAnchor.exactOptional(),
    question: z.string().trim().min(1).max(20_000),
    earlier: z
      .array(z.object({ question: z.string(), response: z.string() }))
      .max(50)
      .exactOptional(),
  })
  .refine(
    ({ thread, anchor }) => (thread === undefined) !== (anchor === undefined),
    "set either `thread` or `anchor`",
  ) satisfies z.ZodType<AskBody>;

const promptQuery = z.object({
  thread: z.string().exactOptional(),
  /** As JSON. */
  anchor: z.string().exactOptional(),
  question: z.string().exactOptional(),
});

/**
 * POST /api/ask: asks the configured model; only a page may call it. GET /api/ask/prompt: the messages that
 * POST /api/ask would send without earlier questions.
 */
export function askRoutes(app: FastifyInstance, context: ReviewContext): void {
  app.get("/api/ask/prompt", async (request): Promise<AskPrompt> => {
    const target = expectTarget(context);
    const { anchor, question = "…", ...rest } = parseBody(promptQuery, request.query);
    const body = parseBody(askBody, {
      ...rest,
      ...(anchor === undefined ? {} : { anchor: parseAnchor(anchor) }),
      question: question.trim() === "" ? "…" : question,
    });
    return { url: askUrl(target), model: target.model, prompt: promptText(await promptFor(context, body)) };
  });

  app.post("/api/ask", async (request, reply) => {
    expectPage(request, context.threads.token);
    const target = expectTarget(context);
    // Most reviews have no questions, so the code is loaded with the first one.
    const { streamResponse } = await import("./stream-response.ts");
    const messages = await promptFor(context, parseBody(askBody, request.body ?? null));
    return reply
      .type("text/event-stream; charset=utf-8")
      .header("cache-control", "no-store")
      .send(Readable.from(events(streamResponse(target, messages, disconnectSignal(reply)))));
  });
}

function expectTarget({ ask }: ReviewContext): AskTarget {
  if (ask) return ask;
  throw new AppError(
    "not_found",
    "No model is configured. Set review.ask.base_url and review.ask.model in the configuration file.",
  );
}

function parseAnchor(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError("validation", `anchor: expected JSON, got "${text.slice(0, 80)}"`);
  }
}

async function promptFor(
  { mode, threads }: ReviewContext,
  { thread: id, anchor, question, earlier = [] }: AskBody,
): Promise<readonly ModelMessage[]> {
  const thread = id === undefined ? undefined : await findThread(threads, id);
  const subject = await mode.describeSubject(thread?.anchor ?? anchor ?? { kind: "review" });
  return composePrompt(subject, thread, earlier, question);
}

async function findThread(threads: ReviewContext["threads"], id: string): Promise<Thread> {
  const { log } = await threads.open();
  const thread = log.threads.get(id);
  if (thread) return thread;
  throw new AppError("not_found", `This review has no thread "${id}".`);
}

function disconnectSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once("close", () => controller.abort());
  if (reply.raw.closed) controller.abort();
  return controller.signal;
}

/** Yields server-sent events: `delta` for each piece, then `done` or `error`. */
async function* events(pieces: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    for await (const text of pieces) yield sse("delta", { text });
    yield sse("done", {});
  } catch (error) {
    const hint = error instanceof AppError ? error.hint : undefined;
    yield sse("error", { error: [getErrorMessage(error), hint].filter(Boolean).join(" ") });
  }
}

function sse(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
