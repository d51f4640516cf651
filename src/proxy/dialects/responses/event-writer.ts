import { stringifyJson } from "../../exchange/json.ts";

/** Numbers the events of one stream and keeps their text until it is taken. */
export interface EventWriter {
  write(type: string, members: Readonly<Record<string, unknown>>): void;
  /** The same for members that are JSON text already, without braces: streams have thousands of deltas alike. */
  writeJson(type: string, members: string): void;
  /** The text written since the last time. */
  take(): string;
}

/** For one stream, whose events are numbered from 0. */
export function createEventWriter(): EventWriter {
  let sequenceNumber = 0;
  let text = "";
  const writeJson = (type: string, members: string) => {
    const number = sequenceNumber++;
    text += `event: ${type}\ndata: {"type":"${type}","sequence_number":${number},${members}}\n\n`;
  };
  return {
    write: (type, members) => writeJson(type, membersOf(members)),
    writeJson,
    take() {
      const taken = text;
      text = "";
      return taken;
    },
  };
}

/** An object's members as JSON text, without braces. */
export function membersOf(members: Readonly<Record<string, unknown>>): string {
  return stringifyJson(members).slice(1, -1);
}
