import type { OpenPart } from "../../exchange/event.ts";
import type { ReasoningPart } from "../../exchange/parts.ts";
import { reasoningItem } from "./output-items.ts";
import type { OutputList, PartWriter, WriterDeps } from "./stream-writer.ts";

/**
 * Creates the writer of a reasoning item with its summary. The item starts with its first text or signature, so that
 * empty reasoning yields no item.
 */
export function createReasoningWriter(
  opened: Extract<OpenPart, { type: "reasoning" }>,
  { events }: WriterDeps,
  list: OutputList,
): PartWriter {
  let item: { readonly outputIndex: number; readonly id: string } | undefined;
  let part: ReasoningPart = { ...opened, text: "" };
  const begin = () => {
    if (item !== undefined) return item;
    item = list.open("rs");
    const empty = { id: item.id, type: "reasoning", summary: [] };
    events.write("response.output_item.added", { output_index: item.outputIndex, item: empty });
    return item;
  };
  const where = () => ({ item_id: item?.id, output_index: item?.outputIndex, summary_index: 0 });
  return {
    delta(delta) {
      if (delta === "") return;
      begin();
      if (part.text === "") {
        const empty = { type: "summary_text", text: "" };
        events.write("response.reasoning_summary_part.added", { ...where(), part: empty });
      }
      part = { ...part, text: part.text + delta };
      events.write("response.reasoning_summary_text.delta", { ...where(), delta });
    },
    signature(signature) {
      begin();
      part = { ...part, signature: (part.signature ?? "") + signature };
    },
    end() {
      if (item === undefined && part.signature === undefined) return;
      const { id, outputIndex } = begin();
      if (part.text !== "") {
        events.write("response.reasoning_summary_text.done", { ...where(), text: part.text });
        const summary = { type: "summary_text", text: part.text };
        events.write("response.reasoning_summary_part.done", { ...where(), part: summary });
      }
      const done = reasoningItem(id, part);
      events.write("response.output_item.done", { output_index: outputIndex, item: done });
      list.finish(outputIndex, done);
    },
  };
}
