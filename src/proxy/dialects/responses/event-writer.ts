import { serializeEvent } from "../../../sse/serialize.ts";
import { stringifyJson } from "../../exchange/json.ts";

/** Numbers the events of one stream and keeps their text until it is taken. */
export interface EventWriter {
  write(type: string, members: Readonly<Record<string, unknown>>): void;
  /** The text written since the last time. */
  take(): string;
}

export function createEventWriter(): EventWriter {
  let sequenceNumber = 0;
  let text = "";
  return {
    write(type, members) {
      text += serializeEvent(stringifyJson({ type, sequence_number: sequenceNumber, ...members }), type);
      sequenceNumber += 1;
    },
    take() {
      const taken = text;
      text = "";
      return taken;
    },
  };
}
