/** The result of one check. */
export interface Finding {
  /** The thing that was checked, in a word or two: "git", "data directory". */
  readonly subject: string;
  /** `off`: not in use, which is not a problem. */
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

const SIGNS: Record<Finding["state"], string> = { ok: "ok", warning: "warning", broken: "BROKEN", off: "-" };

/** Formats the findings as a table, followed by one line per remedy. */
export function report(findings: readonly Finding[]): string {
  const wide = (texts: readonly string[]) => Math.max(...texts.map((text) => text.length));
  const subjects = wide(findings.map(({ subject }) => subject));
  const states = wide(Object.values(SIGNS));
  const rows = findings.map(
    ({ subject, state, detail }) => `${subject.padEnd(subjects)}  ${SIGNS[state].padEnd(states)}  ${detail}`,
  );
  const remedies = findings.flatMap(({ subject, remedy }) => (remedy ? [`- ${subject}: ${remedy}`] : []));
  if (remedies.length === 0) return rows.join("\n");
  return [...rows, "", "What you can do:", ...remedies].join("\n");
}
