import { type IncomingMessage, request } from "node:http";
import type {
  LiveAgent,
  NewThreadBody,
  Thread,
  ThreadChangeBody,
  ThreadList,
} from "../../../src/review/live-api-types.ts";
import { SseParser } from "../../../src/sse/parse.ts";

/**
 * Calls a review on this machine as its page does, so that the review treats the messages as the person's.
 */
export interface ReviewClient {
  threads(): Promise<readonly Thread[]>;
  createThread(body: NewThreadBody): Promise<Thread>;
  reply(thread: string, markdown: string): Promise<Thread>;
  change(thread: string, body: ThreadChangeBody): Promise<Thread>;
  /** Sends unsent comments and replies of the person, and accepted findings, to the agent. */
  send(): Promise<void>;
  /** Returns the path of the page that an editor may show in a frame. */
  embeddedPath(): Promise<string>;
  /**
   * Calls the handlers for the review's events. Resolves when the review ends the stream. Rejects when the signal
   * aborts or the connection breaks.
   */
  follow(handlers: EventHandlers, signal: AbortSignal): Promise<void>;
}

export interface EventHandlers {
  readonly onThread: (thread: Thread) => void;
  readonly onAgent: (agent: LiveAgent) => void;
}

const EVENT_LIMIT = 8 * 1024 * 1024;
const PAGE_TOKEN = /<meta name="x-sallyport-page" content="([^"]+)"/;

/** Creates the client of the review that listens on a port. */
export function createReviewClient(port: number): ReviewClient {
  const call = async (method: string, path: string, body?: object): Promise<unknown> =>
    JSON.parse(await readText(await open(port, { method, path, body })));
  return {
    threads: async () => ((await call("GET", "/api/threads")) as ThreadList).threads,
    createThread: async (body) => (await call("POST", "/api/threads", body)) as Thread,
    reply: async (thread, markdown) =>
      (await call("POST", `/api/threads/${encodeURIComponent(thread)}/messages`, { markdown })) as Thread,
    change: async (thread, body) =>
      (await call("PATCH", `/api/threads/${encodeURIComponent(thread)}`, body)) as Thread,
    send: async () => void (await call("POST", "/api/send", {})),
    async embeddedPath() {
      const page = await readText(await open(port, { method: "GET", path: "/" }));
      const token = PAGE_TOKEN.exec(page)?.[1];
      if (token === undefined)
        throw new Error("Cannot show the review: its page contains no token. Update sallyport.");
      return `/?embed=${encodeURIComponent(token)}`;
    },
    async follow({ onThread, onAgent }, signal) {
      const response = await open(port, { method: "GET", path: "/api/events", signal });
      const parser = new SseParser(EVENT_LIMIT);
      for await (const chunk of response as AsyncIterable<Buffer>) {
        for (const { event, data } of parser.push(chunk)) {
          if (event === "thread") onThread(JSON.parse(data) as Thread);
          if (event === "agent") onAgent(JSON.parse(data) as LiveAgent);
        }
      }
    },
  };
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request and resolves to the response. Rejects if its status is 400 or higher. */
async function open(port: number, { method, path, body, signal }: Call): Promise<IncomingMessage> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const origin = `http://localhost:${port}`;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request({
      host: "127.0.0.1",
      port,
      method,
      path,
      agent: false,
      ...(signal && { signal }),
      headers: {
        host: `localhost:${port}`,
        ...(method === "GET" ? {} : { origin }),
        ...(text !== undefined && {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(text),
        }),
      },
    });
    sent.once("response", resolve);
    sent.once("error", reject);
    sent.end(text);
  });
  if ((response.statusCode ?? 500) < 400) return response;
  throw new Error(toMessage(await readText(response), response.statusCode));
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function toMessage(text: string, status: number | undefined): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown };
    if (typeof error === "string") return error;
  } catch {
    // The text is not JSON.
  }
  return `The review responded with status ${status}.`;
}
