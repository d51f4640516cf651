import type { OpenPart } from "../../exchange/event.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { Citation, Part, TokenLogprob } from "../../exchange/parts.ts";
import { encodeTokens } from "../shared/token-logprobs.ts";
import { type EventWriter, stringifyMembers } from "./event-writer.ts";
import { encodeAnnotations, messageItem, refusalContent, textContent } from "./output-items.ts";
import { getPhase } from "./phase.ts";
import type { MessageStatus } from "./response-object.ts";
import type { OutputList, PartWriter, WriterDeps } from "./stream-writer.ts";

export interface MessageWriter {
  start(part: OpenPart): PartWriter;
  /** Closes the open message to further parts. The message ends when its last part ends, with `status`. */
  close(status?: MessageStatus): void;
}

interface OpenMessage {
  readonly outputIndex: number;
  readonly id: string;
  readonly content: unknown[];
  openParts: number;
  isClosed: boolean;
  status: MessageStatus;
  ended: boolean;
  phase: unknown;
}

/** The messages to which content is written. */
interface Messages {
  readonly events: EventWriter;
  readonly losses: LossList;
  open(phase: unknown): OpenMessage;
  closeIfDone(message: OpenMessage): void;
}

/** Creates a writer that writes consecutive texts and refusals as one message item, as in a complete response. */
export function createMessageWriter({ events, losses }: WriterDeps, list: OutputList): MessageWriter {
  let current: OpenMessage | undefined;

  const open = (phase: unknown): OpenMessage => {
    if (current !== undefined && !current.isClosed) return current;
    const { outputIndex, id } = list.open("msg");
    const state = { openParts: 0, isClosed: false, status: "completed", ended: false } as const;
    current = { outputIndex, id, content: [], ...state, phase };
    const item = messageItem(id, [], "in_progress", phase);
    events.write("response.output_item.added", { output_index: outputIndex, item });
    return current;
  };
  const closeIfDone = (message: OpenMessage) => {
    if (!message.isClosed || message.openParts > 0 || message.ended) return;
    message.ended = true;
    const item = messageItem(message.id, message.content, message.status, message.phase);
    events.write("response.output_item.done", { output_index: message.outputIndex, item });
    list.finish(message.outputIndex, item);
  };
  return {
    start: (part) => new ContentWriter(part, { events, losses, open, closeIfDone }),
    close(status = "completed") {
      if (current === undefined || current.isClosed) return;
      current.isClosed = true;
      current.status = status;
      closeIfDone(current);
    },
  };
}

/** Writes a text or a refusal to the message that is open at the first delta, or to a new message. */
class ContentWriter implements PartWriter {
  private readonly kind: "output_text" | "refusal";
  /** Citations so far. They are written at the end of the part, because they can arrive before the text. */
  private readonly citations: Citation[] = [];
  private annotations: readonly unknown[] = [];
  private readonly logprobs: TokenLogprob[] = [];
  private message: OpenMessage | undefined;
  private contentIndex = 0;
  /** The members that every event of this content has, as JSON text without braces. */
  private where = "";
  private text = "";

  constructor(
    private readonly part: OpenPart,
    private readonly messages: Messages,
  ) {
    this.kind = part.type === "refusal" ? "refusal" : "output_text";
  }

  delta(delta: string, logprobs: readonly TokenLogprob[] = []): void {
    if (delta === "") return;
    if (this.message === undefined) this.begin();
    this.text += delta;
    this.logprobs.push(...logprobs);
    const tokens = logprobs.length === 0 ? "[]" : JSON.stringify(encodeTokens(logprobs));
    const more = this.kind === "refusal" ? "" : `,"logprobs":${tokens}`;
    const members = `${this.where},"delta":${JSON.stringify(delta)}${more}`;
    this.messages.events.writeJson(`response.${this.kind}.delta`, members);
  }

  citation(citation: Citation): void {
    this.citations.push(citation);
  }

  end(whole: Part | undefined): void {
    const { message } = this;
    if (message === undefined) return;
    message.phase ??= whole === undefined ? undefined : getPhase(whole);
    this.annotations = encodeAnnotations(
      { text: this.text, citations: this.citations },
      this.messages.losses,
    );
    for (const [annotation_index, annotation] of this.annotations.entries()) {
      this.write("response.output_text.annotation.added", { annotation_index, annotation });
    }
    const members =
      this.kind === "refusal"
        ? { refusal: this.text }
        : { text: this.text, logprobs: encodeTokens(this.logprobs) };
    this.write(`response.${this.kind}.done`, members);
    this.write("response.content_part.done", { part: this.content() });
    message.content[this.contentIndex] = this.content();
    message.openParts -= 1;
    this.messages.closeIfDone(message);
  }

  private begin(): void {
    const message = this.messages.open(getPhase(this.part));
    this.message = message;
    message.openParts += 1;
    this.contentIndex = message.content.push(undefined) - 1;
    const { id, outputIndex } = message;
    this.where = stringifyMembers({
      item_id: id,
      output_index: outputIndex,
      content_index: this.contentIndex,
    });
    this.write("response.content_part.added", { part: this.content() });
  }

  private content() {
    return this.kind === "refusal"
      ? refusalContent(this.text)
      : textContent(this.text, this.annotations, this.logprobs);
  }

  private write(type: string, members: Readonly<Record<string, unknown>>): void {
    this.messages.events.writeJson(type, `${this.where},${stringifyMembers(members)}`);
  }
}
