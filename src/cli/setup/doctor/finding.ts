/** The result of one check. */
export interface Finding {
  /** The thing that was checked, in a word or two: "git", "data directory". */
  readonly subject: string;
  /** `off`: not in use, which is no problem. */
  readonly state: "ok" | "warning" | "broken" | "off";
  /** The result in a few words. */
  readonly detail: string;
  /** The fix, as an imperative. */
  readonly remedy?: string;
}

/** Returns whether any finding keeps Sallyport from working. */
export function isBroken(findings: readonly Finding[]): boolean {
  return findings.some(({ state }) => state === "broken");
}
