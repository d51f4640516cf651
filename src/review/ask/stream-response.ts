import { z } from "zod";
import { AppError, getErrorMessage } from "../../errors.ts";
import type { OutboundResponse } from "../../http/outbound-fetch.ts";
import { SseEventTooLargeError, SseParser } from "../../sse/parse.ts";
import { type AskTarget, askUrl } from "./ask-target.ts";
import type { ModelMessage } from "./compose-prompt.ts";

/** Maximum characters of one event of the answer. */
const MAX_EVENT = 1024 * 1024;
/** Maximum characters of an answer; the rest is dropped. */
const MAX_RESPONSE = 200_000;
/** Milliseconds in which an answer must be complete. */
const LIMIT_MS = 5 * 60_000;
/** Maximum characters of an error response that are shown. */
const MAX_SHOWN = 300;

const CONNECT_HINT =
  "Start the proxy with `sallyport proxy start`, or change review.ask in the configuration file.";
const HINT = "Ask again, or change review.ask in the configuration file.";

const chunkSchema = z.looseObject({
  choices: z
    .array(z.looseObject({ delta: z.looseObject({ content: z.string().nullish() }).optional() }))
    .default([]),
  error: z.unknown().optional(),
});

const errorSchema = z.looseObject({
  error: z.union([z.string(), z.looseObject({ message: z.string() }).transform(({ message }) => message)]),
});

/**
 * Asks the model and yields its answer piece by piece. Throws `ask_failed` if the model cannot be reached, the
 * connection breaks, or the model returns an error or an invalid response.
 */
export async function* streamResponse(
  target: AskTarget,
  messages: readonly ModelMessage[],
  signal: AbortSignal,
): AsyncGenerator<string> {
  const response = await request(target, messages, AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]));
  const parser = new SseParser(MAX_EVENT);
  let left = MAX_RESPONSE;
  const textIn = function* (events: ReturnType<SseParser["push"]>) {
    for (const { data } of events) {
      if (data === "[DONE]" || left <= 0) continue;
      const text = parseChunk(data, target).slice(0, left);
      left -= text.length;
      if (text !== "") yield text;
    }
  };
  try {
    for await (const bytes of response) yield* textIn(parser.push(bytes));
    yield* textIn(parser.end());
  } catch (error) {
    if (error instanceof AppError) throw error;
    const message = getErrorMessage(error);
    const reason = error instanceof SseEventTooLargeError ? message : `the connection broke (${message})`;
    throw failure(target, reason, { cause: error });
  }
}

async function request(
  target: AskTarget,
  messages: readonly ModelMessage[],
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const { model, apiKey } = target;
  let response: OutboundResponse;
  try {
    response = await target.fetch(new URL(askUrl(target)), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream",
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ model, messages, stream: true }),
      // A redirect could send the code to another host.
      redirect: "error",
      signal,
    });
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw failure(target, getErrorMessage(cause), { cause: error, hint: CONNECT_HINT });
  }
  if (!response.ok) {
    const reason = findReason(await response.text().catch(() => ""));
    throw failure(target, `HTTP ${response.status}${reason === "" ? "" : `: ${reason}`}`);
  }
  if (!response.body) throw failure(target, "the response is empty");
  return response.body;
}

/** Returns the message of an error response, or its text if it has none. */
function findReason(text: string): string {
  let message = text;
  try {
    const parsed = errorSchema.safeParse(JSON.parse(text));
    if (parsed.success) message = parsed.data.error;
  } catch {
    // The body is not JSON, for example the page of a proxy between this machine and the model.
  }
  return message.trim().slice(0, MAX_SHOWN);
}

function parseChunk(data: string, target: AskTarget): string {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (error) {
    throw failure(target, "the response is not JSON", { cause: error });
  }
  const chunk = chunkSchema.safeParse(value);
  if (!chunk.success) throw failure(target, "the response is not of the chat-completions dialect");
  if (chunk.data.error !== undefined) throw failure(target, findReason(data));
  return chunk.data.choices[0]?.delta?.content ?? "";
}

function failure(
  target: AskTarget,
  reason: string,
  { cause, hint = HINT }: { readonly cause?: unknown; readonly hint?: string } = {},
): AppError {
  const sentence = /[.!?]$/.test(reason) ? reason : `${reason}.`;
  return new AppError("ask_failed", `Cannot get an answer from ${askUrl(target)}: ${sentence}`, {
    cause,
    hint,
  });
}
