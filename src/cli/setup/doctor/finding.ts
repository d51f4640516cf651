/** What one look at the machine found. */
export interface Finding {
  /** What was looked at, in a word or two: "git", "data directory". */
  readonly subject: string;
  /** `off`: there is nothing to work, and nothing wrong with that. */
  readonly state: "ok" | "warning" | "broken" | "off";
  /** What is so, in a few words. */
  readonly detail: string;
  /** What the person can do, where there is anything to do. */
  readonly remedy?: string;
}

/** Whether anything is found that keeps sallyport from working. */
export function isBroken(findings: readonly Finding[]): boolean {
  return findings.some(({ state }) => state === "broken");
}
