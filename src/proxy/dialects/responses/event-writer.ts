import { serializeLine } from "../../../sse/serialize.ts";
import { stringifyJson } from "../../exchange/json.ts";

/** Numbers the events of one stream and buffers their text. */
export interface EventWriter {
  write(type: string, members: Readonly<Record<string, unknown>>): void;
  /**
   * Writes an event whose members are JSON text without braces, which avoids serializing thousands of similar deltas.
   */
  writeJson(type: string, members: string): void;
  /** Returns the text written since the last call. */
  take(): string;
}

/** Creates a writer for one stream, whose events are numbered from 0. */
export function createEventWriter(): EventWriter {
  let sequenceNumber = 0;
  let text = "";
  const writeJson = (type: string, members: string) => {
    const number = sequenceNumber++;
    text += serializeLine(`{"type":"${type}","sequence_number":${number},${members}}`, type);
  };
  return {
    write: (type, members) => writeJson(type, stringifyMembers(members)),
    writeJson,
    take() {
      const taken = text;
      text = "";
      return taken;
    },
  };
}

/** Returns the members of an object as JSON text without braces. */
export function stringifyMembers(members: Readonly<Record<string, unknown>>): string {
  return stringifyJson(members).slice(1, -1);
}
