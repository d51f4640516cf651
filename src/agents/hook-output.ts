import type { PlanDecision } from "../review/decision.ts";

/** The maximum size of the hook output that an agent reads. */
export interface OutputLimit {
  readonly agent: string;
  /** Maximum bytes. The agent would cut off or ignore longer output, and the decision would be lost. */
  readonly bytes: number;
}

/** Encodes the text. If the output exceeds the limit, shortens the text and names where the whole text is. */
export function fittingOutput(
  text: string,
  { savedPath }: PlanDecision,
  { agent, bytes }: OutputLimit,
  encode: (text: string) => string,
): string {
  const whole = encode(text);
  if (Buffer.byteLength(whole) <= bytes) return whole;
  const source = savedPath === undefined ? "`sallyport review last` prints it" : `it is in ${savedPath}`;
  const rest = `\n\n[Too long for ${agent}: the end is missing here; ${source}.]`;
  for (let length = text.length; ; length = Math.floor(length * 0.9)) {
    const output = encode(text.slice(0, length) + rest);
    if (Buffer.byteLength(output) <= bytes) return output;
  }
}

/**
 * Returns a value as ASCII JSON. Gemini CLI and Qwen Code decode a hook's output in chunks of the pipe (64 KiB),
 * which corrupts a multi-byte character at a chunk boundary.
 */
export function asciiJson(value: object): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Returns the plan for the agent: the edited text, or `plan` if it was not edited, followed by any feedback. */
export function planWithNotes(plan: string, { editedPlan, feedback }: PlanDecision): string {
  const text = editedPlan ?? plan;
  if (!feedback) return text;
  return `${text.trimEnd()}\n\n---\n\n## Notes from the reviewer\n\n${asSection(feedback)}\n`;
}

/** Formats feedback for a section of level 2: without its own title, and with its headings one level lower. */
function asSection(feedback: string): string {
  let fence: string | undefined;
  const lines = feedback.split("\n").map((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && fence === undefined) fence = mark;
    else if (fence !== undefined && line.trim().startsWith(fence) && line.trim() === mark) fence = undefined;
    return fence === undefined && /^#{1,5} /.test(line) ? `#${line}` : line;
  });
  const [first = "", ...rest] = lines;
  return first.startsWith("## ") && feedback.startsWith("# ")
    ? rest.join("\n").trim()
    : lines.join("\n").trim();
}

/** Returns the text of an approval that the agent must follow, or undefined if the approval has no text. */
export function approvalText({ feedback, editedPlan }: PlanDecision): string | undefined {
  const parts = [
    ...(feedback ? [`The person added these notes, which belong to the task:\n\n${feedback}`] : []),
    ...(editedPlan === undefined
      ? []
      : [`The person edited the plan. Carry out this version:\n\n${editedPlan}`]),
  ];
  return parts.length === 0 ? undefined : parts.join("\n\n");
}
