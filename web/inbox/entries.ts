import type { DecidedReview, InboxContent, ReviewEntry } from "../../src/review/api-types.ts";

const MODE_NAMES: Readonly<Record<ReviewEntry["mode"], string>> = {
  plan: "Plan",
  code: "Code review",
  pr: "Pull request",
  files: "Files",
};

export const modeName = (mode: ReviewEntry["mode"]): string => MODE_NAMES[mode] ?? "Review";

/** Returns the inbox with the newest reviews first. */
export function inboxOrder({ waiting, decided }: InboxContent): InboxContent {
  return {
    waiting: waiting.toSorted((a, b) => compare(b.since, a.since)),
    decided: decided.toSorted((a, b) => compare(b.decidedAt, a.decidedAt)),
  };
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Returns the reviews in `now` that are not in `before`. */
export function newArrivals(
  before: readonly ReviewEntry[],
  now: readonly ReviewEntry[],
): readonly ReviewEntry[] {
  const known = new Set(before.map(({ id }) => id));
  return now.filter(({ id }) => !known.has(id));
}

/** Formats how long a review has waited: "just now", "2 min", "3 h 5 min", "2 days"; empty for an invalid time. */
export function waitingTime(since: string, now: number): string {
  const minutes = Math.max(0, Math.floor((now - Date.parse(since)) / 60_000));
  if (Number.isNaN(minutes)) return "";
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return days === 1 ? "1 day" : `${days} days`;
}

const DECISIONS: Readonly<Record<DecidedReview["decision"], string>> = {
  approve: "Approved",
  deny: "Changes requested",
  feedback: "Feedback sent",
  ended: "Ended",
};

export const decisionName = (decision: DecidedReview["decision"]): string => DECISIONS[decision] ?? "Decided";

/** Returns the URL of a review if its scheme is `http` or `https`; undefined otherwise. */
export function reviewAddress(url: string): string | undefined {
  return /^https?:\/\//i.test(url) ? url : undefined;
}
