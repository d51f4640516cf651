import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";

/** Acts as the person, through the page's own routes. */

export interface SeenPlan {
  readonly plan: string;
  readonly origin: string;
  readonly permissionMode?: string;
  /** Set in a live review. */
  readonly live?: { readonly round: number; readonly agent: { readonly state: string } };
  readonly caller: {
    readonly name: string;
    readonly approvalNote: string;
    readonly takesEditedPlan: boolean;
    readonly deadline?: string;
  };
}

/** Waits until a plan's review listens, and resolves to the state that the page would show. */
export async function openPlan(reviewUrl: string): Promise<SeenPlan> {
  return (await open(`${reviewUrl}/api/plan`)) as SeenPlan;
}

/** The same for the review of a diff. */
async function openDiff(reviewUrl: string): Promise<{ readonly rawPatch: string }> {
  return (await open(`${reviewUrl}/api/diff`)) as { readonly rawPatch: string };
}

interface SeenThread {
  readonly state: string;
  readonly round: number;
  readonly resolvedBy: { readonly kind: string; readonly name: string } | null;
  readonly messages: readonly { readonly author: { readonly kind: string }; readonly markdown: string }[];
}

/** The person in a live review of a diff. */
export interface LivePerson {
  comment(path: string, line: number, markdown: string): Promise<void>;
  send(): Promise<void>;
  /** Waits for an agent's message with this text, and for the state in which the agent leaves its thread. */
  reply(text: string, state: "open" | "resolved"): Promise<SeenThread>;
  /** Waits until the diff contains a text. */
  diffWith(text: string): Promise<void>;
  /** Approves. */
  finish(): Promise<void>;
}

/** Waits until a live review listens. */
export async function joinLiveReview(reviewUrl: string): Promise<LivePerson> {
  const origin = originOf(reviewUrl);
  await openDiff(reviewUrl);
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  const until = async <Value>(look: () => Promise<Value | undefined>): Promise<Value> => {
    while (!ended.signal.aborted) {
      const found = await look();
      if (found !== undefined) return found;
      await delay(100);
    }
    throw new Error("nothing until the test ended");
  };
  const threads = async () => {
    const body = await (await fetch(`${origin}/api/threads`)).json();
    return (body as { readonly threads: readonly SeenThread[] }).threads;
  };
  return {
    comment: (path, line, markdown) =>
      postAsPage(reviewUrl, "/api/threads", {
        anchor: { kind: "lines", path, side: "new", lineStart: line, lineEnd: line },
        type: "comment",
        markdown,
      }),
    send: () => postAsPage(reviewUrl, "/api/send", {}),
    reply: (text, state) =>
      until(async () => {
        const isWanted = ({ messages }: SeenThread) =>
          messages.some(({ author, markdown }) => author.kind === "agent" && markdown === text);
        const thread = (await threads()).find(isWanted);
        return thread?.state === state ? thread : undefined;
      }),
    diffWith: async (text) => {
      await until(async () => ((await openDiff(reviewUrl)).rawPatch.includes(text) ? true : undefined));
    },
    finish: () => postAsPage(reviewUrl, "/api/finish", { approved: true }),
  };
}

/** Posts as the page of a live review does. Throws unless the request is accepted. */
export async function postAsPage(reviewUrl: string, path: string, body: object): Promise<void> {
  const origin = originOf(reviewUrl);
  const response = await fetch(`${origin}${path}`, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
}

const originOf = (reviewUrl: string) => `http://localhost:${new URL(reviewUrl).port}`;

/** Requests a URL until it succeeds or the test ends, because the agent may end without a review. */
async function open(url: string): Promise<unknown> {
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  while (!ended.signal.aborted) {
    try {
      const response = await fetch(url);
      if (response.ok) return await response.json();
    } catch {
      // Nobody listens yet.
    }
    await delay(50);
  }
  throw new Error(`nothing at ${url} until the test ended`);
}

/** Waits until no server listens on the port. */
export async function waitForExit(reviewUrl: string): Promise<void> {
  for (;;) {
    try {
      await fetch(`${reviewUrl}/api/plan`);
    } catch {
      return;
    }
    await delay(100);
  }
}

/** Decides as the page does, and resolves to the response. Throws unless the decision is accepted. */
export function decide(reviewUrl: string, route: "approve" | "deny", body: object): Promise<unknown> {
  return post(`${reviewUrl}/api/${route}`, body);
}

async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...(await pageToken(url)) },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} returned ${response.status}: ${await response.text()}`);
  return response.json();
}

/** Returns the token in the page's HTML, which distinguishes its requests from those of other programs. */
async function pageToken(url: string): Promise<Readonly<Record<string, string>>> {
  const html = await (await fetch(new URL("/", url))).text();
  const [, name, token] = /<meta name="(x-sallyport-page)" content="([^"]+)"/.exec(html) ?? [];
  return name === undefined || token === undefined ? {} : { [name]: token };
}
