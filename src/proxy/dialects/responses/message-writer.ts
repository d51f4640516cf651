import type { OpenPart } from "../../exchange/event.ts";
import type { Part, TextPart } from "../../exchange/parts.ts";
import { encodeAnnotation, messageItem, refusalContent, textContent } from "./output-items.ts";
import type { OutputList, PartWriter, WriterDeps } from "./part-writers.ts";
import { phaseOf } from "./phase.ts";

export interface MessageWriter {
  start(part: OpenPart): PartWriter;
  /** From now on the open message takes no further part; it ends when its last one does. */
  seal(): void;
}

interface OpenMessage {
  readonly outputIndex: number;
  readonly id: string;
  readonly content: unknown[];
  openParts: number;
  sealed: boolean;
  ended: boolean;
  phase: unknown;
}

/** Texts in a row are parts of one message item, as in a whole response. */
export function createMessageWriter({ events }: WriterDeps, list: OutputList): MessageWriter {
  let current: OpenMessage | undefined;

  const open = (phase: unknown): OpenMessage => {
    if (current !== undefined && !current.sealed) return current;
    const { outputIndex, id } = list.open("msg");
    current = { outputIndex, id, content: [], openParts: 0, sealed: false, ended: false, phase };
    const item = messageItem(id, [], "in_progress", phase);
    events.write("response.output_item.added", { output_index: outputIndex, item });
    return current;
  };
  const closeIfDone = (message: OpenMessage) => {
    if (!message.sealed || message.openParts > 0 || message.ended) return;
    message.ended = true;
    const item = messageItem(message.id, message.content, "completed", message.phase);
    events.write("response.output_item.done", { output_index: message.outputIndex, item });
    list.finish(message.outputIndex, item);
  };
  return {
    start: (part) => createContentWriter(part, open, closeIfDone, events),
    seal() {
      if (current === undefined) return;
      current.sealed = true;
      closeIfDone(current);
    },
  };
}

function createContentWriter(
  part: OpenPart,
  open: (phase: unknown) => OpenMessage,
  closeIfDone: (message: OpenMessage) => void,
  events: WriterDeps["events"],
): PartWriter {
  const isRefusal = part.type === "refusal";
  const kind = isRefusal ? "refusal" : "output_text";
  const annotations: unknown[] = [];
  let message: OpenMessage | undefined;
  let contentIndex = 0;
  let text = "";
  const content = () => (isRefusal ? refusalContent(text) : textContent(text, annotations));
  const where = () => ({
    item_id: message?.id,
    output_index: message?.outputIndex,
    content_index: contentIndex,
  });
  const begin = () => {
    if (message !== undefined) return;
    message = open(phaseOf(part));
    message.openParts += 1;
    contentIndex = message.content.push(undefined) - 1;
    events.write("response.content_part.added", { ...where(), part: content() });
  };
  return {
    delta(delta) {
      if (delta === "") return;
      begin();
      text += delta;
      events.write(`response.${kind}.delta`, { ...where(), delta, ...(isRefusal ? {} : { logprobs: [] }) });
    },
    citation(citation) {
      if (message === undefined) return;
      for (const annotation of encodeAnnotation(citation, text.length)) {
        const annotation_index = annotations.push(annotation) - 1;
        events.write("response.output_text.annotation.added", { ...where(), annotation_index, annotation });
      }
    },
    end(whole: Part | undefined) {
      if (message === undefined) return;
      message.phase ??= whole === undefined ? undefined : phaseOf(whole as TextPart);
      const said = isRefusal ? { refusal: text } : { text, logprobs: [] };
      events.write(`response.${kind}.done`, { ...where(), ...said });
      events.write("response.content_part.done", { ...where(), part: content() });
      message.content[contentIndex] = content();
      message.openParts -= 1;
      closeIfDone(message);
    },
  };
}
