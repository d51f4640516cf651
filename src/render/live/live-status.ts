import type { LiveAgent } from "../../review/api-types.ts";

/** The state of the batches that the person has sent. */
export interface BatchProgress {
  /** Number of threads that were sent and not delivered. */
  readonly waiting: number;
  /** When the last batch was sent; undefined before the first. */
  readonly lastSentAt: string | undefined;
}

export interface LiveStatus {
  readonly tone: "plain" | "busy" | "warning";
  readonly text: string;
  /** The status that the agent reports. */
  readonly progress?: string;
}

/** Describes what happens between the person and the agent of a live review. */
export function liveStatus({ name, state, progress }: LiveAgent, batch: BatchProgress): LiveStatus {
  const agent = name === "" ? "the agent" : name;
  // A name such as `claude-code` is not capitalized.
  const subject = name === "" ? "The agent" : name;
  const isWaiting = batch.waiting > 0;
  if (state === "gone") {
    const kept = isWaiting
      ? "Your feedback is kept for the next one."
      : "You can continue: your feedback is kept for the next one.";
    return { tone: "warning", text: `${subject} has disconnected. ${kept}` };
  }
  const more = progress ? { progress } : {};
  if (isWaiting) return { tone: "busy", text: `Sent, waiting for ${agent}.`, ...more };
  if (state === "working" && batch.lastSentAt !== undefined)
    return { tone: "busy", text: `${subject} is working on your feedback.`, ...more };
  if (progress) return { tone: "busy", text: `${subject}:`, progress };
  if (state === "waiting") return { tone: "plain", text: `${subject} is waiting for your feedback.` };
  if (state === "none")
    return { tone: "plain", text: "No agent has connected yet. Your feedback is kept for it." };
  return { tone: "plain", text: `${subject} is connected.` };
}
