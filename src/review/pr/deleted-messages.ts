import type { Thread, ThreadMessage } from "../api-types.ts";
import type { LogEntry } from "../live/session-log.ts";

/** The text of a message that its author or a maintainer has deleted at the forge. */
const NOTICE = "*This comment was deleted.*";
const PREFIX = `${NOTICE}\n\n`;

interface Present {
  /** Ids of the messages on the page that are at the forge. */
  readonly messages: ReadonlySet<string>;
  /** Ids of the threads on the page that are at the forge. */
  readonly threads: { has(id: string): boolean };
  /** Ids of messages that were written on the page and found at the forge. */
  readonly linked: ReadonlySet<string>;
}

/**
 * Returns log entries for messages that were deleted at the forge. The text of a message of the forge is replaced by a
 * notice; a message that was written on the page keeps its text below the notice. A thread is resolved if all its
 * messages were written at the forge and deleted there. Messages stay in their threads, because batches count them.
 */
export function deletionsOf(threads: Iterable<Thread>, present: Present): readonly LogEntry[] {
  return [...threads].flatMap((thread) => {
    const changed = thread.messages.flatMap((message): LogEntry[] => {
      const markdown = textOf(message, present);
      if (markdown === message.markdown) return [];
      return [{ op: "message", thread: thread.id, message: { ...message, markdown } }];
    });
    const isEmpty = !present.threads.has(thread.id) && thread.messages.every(isOfForge);
    if (changed.length === 0 || !isEmpty || thread.state !== "open") return changed;
    return [...changed, { op: "change", thread: thread.id, state: "resolved", resolvedBy: null }];
  });
}

function textOf(message: ThreadMessage, { messages, linked }: Present): string {
  const { id, markdown } = message;
  const isPresent = messages.has(id);
  if (isOfForge(message)) return isPresent ? markdown : NOTICE;
  if (!linked.has(id)) return markdown;
  if (isPresent) return markdown.startsWith(PREFIX) ? markdown.slice(PREFIX.length) : markdown;
  return markdown.startsWith(PREFIX) ? markdown : `${PREFIX}${markdown}`;
}

/** Reports whether a message was written at the forge: it was posted when it was written. */
function isOfForge({ at, postedAt }: ThreadMessage): boolean {
  return postedAt === at;
}
