import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";

/** The person in front of the page, by way of the page's own routes. */

export interface SeenPlan {
  readonly plan: string;
  readonly origin: string;
  readonly permissionMode?: string;
  readonly caller: { readonly name: string; readonly approvalNote: string; readonly deadline?: string };
}

/** Waits until a plan's review listens and resolves to what the page would show. */
export async function openPlan(reviewUrl: string): Promise<SeenPlan> {
  return (await open(`${reviewUrl}/api/plan`)) as SeenPlan;
}

/** The same for a diff's review. */
export async function openReview(reviewUrl: string): Promise<{ readonly rawPatch: string }> {
  return (await open(`${reviewUrl}/api/diff`)) as { readonly rawPatch: string };
}

/** As long as the test has: whoever waits gives up when the agent ends without a review. */
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

/** Waits until nobody listens there any more. */
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

/** Decides as the page does; throws for anything but an accepted decision. */
export async function decide(reviewUrl: string, route: "approve" | "deny", body: object): Promise<void> {
  await post(`${reviewUrl}/api/${route}`, body);
}

/** Sends what the person wrote about a diff. */
export async function sendFeedback(reviewUrl: string, body: object): Promise<void> {
  await post(`${reviewUrl}/api/feedback`, body);
}

async function post(url: string, body: object): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...(await pageToken(url)) },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} was answered ${response.status}: ${await response.text()}`);
}

/** What tells the page's requests from those of other programs: the token in its HTML. */
async function pageToken(url: string): Promise<Readonly<Record<string, string>>> {
  const html = await (await fetch(new URL("/", url))).text();
  const [, name, token] = /<meta name="(x-sallyport-page)" content="([^"]+)"/.exec(html) ?? [];
  return name === undefined || token === undefined ? {} : { [name]: token };
}
