import type { OpenPart } from "../../exchange/event.ts";
import { isJson } from "../../exchange/json.ts";
import type { ToolCallPart } from "../../exchange/parts.ts";
import { isCustomCall, unwrapCustomInput } from "../shared/custom-calls.ts";
import { stringifyMembers } from "./event-writer.ts";
import { callItem } from "./output-items.ts";
import type { OutputList, PartWriter, WriterDeps } from "./stream-writer.ts";

/** A tool call whose arguments are not valid JSON. Only the end of the response shows whether they were cut off. */
export interface PendingCall {
  readonly name: string;
  settle(): void;
}

/**
 * Creates the writer of a function or custom tool call. Arguments are written as they arrive, except those of a wrapped
 * custom call, which must be unwrapped as a whole.
 */
export function createCallWriter(
  opened: Extract<OpenPart, { type: "tool-call" }>,
  { events, context }: WriterDeps,
  list: OutputList,
  pending: PendingCall[],
): PartWriter {
  const isCustom = isCustomCall(opened, context.request);
  const isWrapped = isCustom && opened.custom !== true;
  const { outputIndex, id } = list.open(isCustom ? "ctc" : "fc");
  const where = { item_id: id, output_index: outputIndex };
  const whereJson = stringifyMembers(where);
  const deltaType = isCustom
    ? "response.custom_tool_call_input.delta"
    : "response.function_call_arguments.delta";
  let written = "";
  const call = (status: string) => callItem(id, { ...opened, arguments: written }, context.request, status);
  const begun = isCustom ? { ...call("in_progress"), input: "" } : { ...call("in_progress"), arguments: "" };
  events.write("response.output_item.added", { output_index: outputIndex, item: begun });

  const finish = (status: string) => {
    const item = call(status);
    if (isCustom) {
      events.write("response.custom_tool_call_input.done", { ...where, input: item["input"] });
    } else {
      events.write("response.function_call_arguments.done", { ...where, arguments: item["arguments"] });
    }
    events.write("response.output_item.done", { output_index: outputIndex, item });
    list.finish(outputIndex, item);
  };
  return {
    delta(delta) {
      if (delta === "") return;
      written += delta;
      if (!isWrapped) events.writeJson(deltaType, `${whereJson},"delta":${JSON.stringify(delta)}`);
    },
    end() {
      if (isWrapped) events.write(deltaType, { ...where, delta: unwrapCustomInput(part(opened, written)) });
      if (!isCustom && written.trim() === "") {
        written = "{}";
        events.write(deltaType, { ...where, delta: written });
      }
      if (isCustom || isJson(written)) return finish("completed");
      pending.push({ name: opened.name, settle: () => finish("incomplete") });
    },
  };
}

function part(opened: ToolCallPart, written: string): ToolCallPart {
  return { ...opened, arguments: written };
}
