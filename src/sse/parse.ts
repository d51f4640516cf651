/** One server-sent event: its name (`message` unless said) and its data, the lines joined by line feeds. */
export interface SseEvent {
  readonly event: string;
  readonly data: string;
}

/** A stream holds an event that is longer than the parser will keep. */
export class SseEventTooLargeError extends Error {
  constructor(limit: number) {
    super(`An event of the stream is larger than ${limit} characters.`);
    this.name = "SseEventTooLargeError";
  }
}

export interface SseParser {
  /** Takes the next bytes, cut anywhere. Throws `SseEventTooLargeError`. */
  push(bytes: Uint8Array): readonly SseEvent[];
  /** The end of the file. An event that no blank line ended is given too: several upstreams leave it out. */
  end(): readonly SseEvent[];
}

/** 8 MiB: images come inside events. */
const defaultLimit = 8 * 1024 * 1024;
const lineEnd = /\r\n|\r|\n/g;

/**
 * Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): every line end, a byte
 * order mark, comments, several data lines, cut at any byte. `id` and `retry` mean nothing to a proxy and are dropped.
 */
export function createSseParser(limit: number = defaultLimit): SseParser {
  const decoder = new TextDecoder("utf-8");
  let rest = "";
  let endedInReturn = false;
  let name = "";
  let data: string | undefined;
  let events: SseEvent[] = [];

  const dispatch = () => {
    if (data !== undefined) events.push({ event: name === "" ? "message" : name, data });
    name = "";
    data = undefined;
  };
  const takeLine = (line: string) => {
    if (line === "") return dispatch();
    if (line.startsWith("data:")) {
      const value = line.slice(line.charCodeAt(5) === 32 ? 6 : 5);
      data = data === undefined ? value : `${data}\n${value}`;
      if (data.length > limit) throw new SseEventTooLargeError(limit);
    } else if (line.startsWith("event:")) name = line.slice(line.charCodeAt(6) === 32 ? 7 : 6);
    else if (line === "data") data = data === undefined ? "" : `${data}\n`;
    else if (line === "event") name = "";
  };
  const takeText = (text: string) => {
    let fresh = text;
    // The line feed of a CRLF that was cut in two: its carriage return has ended the line already.
    if (endedInReturn && fresh.length > 0) {
      if (fresh.startsWith("\n")) fresh = fresh.slice(1);
      endedInReturn = false;
    }
    let from = 0;
    lineEnd.lastIndex = 0;
    for (let match = lineEnd.exec(fresh); match !== null; match = lineEnd.exec(fresh)) {
      takeLine(rest + fresh.slice(from, match.index));
      rest = "";
      from = lineEnd.lastIndex;
      endedInReturn = match[0] === "\r" && from === fresh.length;
    }
    rest += fresh.slice(from);
    if (rest.length > limit) throw new SseEventTooLargeError(limit);
  };
  const take = (): readonly SseEvent[] => {
    const taken = events;
    events = [];
    return taken;
  };
  return {
    push(bytes) {
      takeText(decoder.decode(bytes, { stream: true }));
      return take();
    },
    end() {
      takeText(decoder.decode());
      if (rest !== "") takeLine(rest);
      rest = "";
      dispatch();
      return take();
    },
  };
}
