import { setTimeout as delay } from "node:timers/promises";

/** The person in front of the page, by way of the page's own routes. */

export interface SeenPlan {
  readonly plan: string;
  readonly origin: string;
  readonly permissionMode?: string;
  readonly caller: { readonly name: string; readonly approvalNote: string };
}

/** Waits until a review listens and resolves to what the page would show. */
export async function openPlan(reviewUrl: string, patience = 60_000): Promise<SeenPlan> {
  const end = Date.now() + patience;
  while (Date.now() < end) {
    try {
      const answer = await fetch(`${reviewUrl}/api/plan`);
      if (answer.ok) return (await answer.json()) as SeenPlan;
    } catch {
      // Nobody listens yet.
    }
    await delay(50);
  }
  throw new Error(`no review at ${reviewUrl} within ${patience / 1000} s`);
}

/** Decides as the page does; throws for anything but an accepted decision. */
export async function decide(reviewUrl: string, route: "approve" | "deny", body: object): Promise<void> {
  const answer = await fetch(`${reviewUrl}/api/${route}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${route} was answered ${answer.status}: ${await answer.text()}`);
}
