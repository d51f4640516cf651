import { StringDecoder } from "node:string_decoder";

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

/** 8 MiB: images come inside events. */
const defaultLimit = 8 * 1024 * 1024;
const lineEnd = /\r\n|\r|\n/g;
const byteOrderMark = "\uFEFF";

/**
 * Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): every line end, a byte
 * order mark, comments, several data lines, cut at any byte. `id` and `retry` mean nothing to a proxy and are dropped.
 */
export class SseParser {
  private readonly decoder = new StringDecoder("utf8");
  /** The beginning of a line whose end has not come. */
  private rest = "";
  private begun = false;
  private endedInReturn = false;
  private name = "";
  private data: string | undefined;
  private events: SseEvent[] = [];

  constructor(private readonly limit: number) {}

  /** Takes the next bytes, cut anywhere. Throws `SseEventTooLargeError`. */
  push(bytes: Uint8Array): readonly SseEvent[] {
    this.takeText(this.decoder.write(bytes as Buffer));
    return this.take();
  }

  /** The end of the file. An event that no blank line ended is given too: several upstreams leave it out. */
  end(): readonly SseEvent[] {
    this.takeText(this.decoder.end());
    if (this.rest !== "") this.takeLine(this.rest);
    this.rest = "";
    this.dispatch();
    return this.take();
  }

  private take(): readonly SseEvent[] {
    const taken = this.events;
    this.events = [];
    return taken;
  }

  private takeText(text: string): void {
    if (text === "") return;
    let fresh = text;
    if (!this.begun && fresh.startsWith(byteOrderMark)) fresh = fresh.slice(1);
    this.begun = true;
    // The line feed of a CRLF that was cut in two: its carriage return has ended the line already.
    if (this.endedInReturn && fresh.startsWith("\n")) fresh = fresh.slice(1);
    this.endedInReturn = false;
    const from = fresh.includes("\r") ? this.takeLines(fresh) : this.takeFedLines(fresh);
    this.rest += fresh.slice(from);
    if (this.rest.length > this.limit) throw new SseEventTooLargeError(this.limit);
  }

  /** Takes all lines that end in a line feed, as nearly all do; gives where the next one begins. */
  private takeFedLines(text: string): number {
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      this.endLine(text, from, end);
      from = end + 1;
    }
    return from;
  }

  private takeLines(text: string): number {
    let from = 0;
    lineEnd.lastIndex = 0;
    for (let match = lineEnd.exec(text); match !== null; match = lineEnd.exec(text)) {
      this.endLine(text, from, match.index);
      from = lineEnd.lastIndex;
      this.endedInReturn = match[0] === "\r" && from === text.length;
    }
    return from;
  }

  private endLine(text: string, from: number, end: number) {
    const line = text.slice(from, end);
    if (this.rest === "") return this.takeLine(line);
    const whole = this.rest + line;
    this.rest = "";
    this.takeLine(whole);
  }

  private takeLine(line: string): void {
    if (line === "") this.dispatch();
    else if (line.startsWith("data:")) this.takeData(line.slice(line.charCodeAt(5) === 32 ? 6 : 5));
    else if (line.startsWith("event:")) this.name = line.slice(line.charCodeAt(6) === 32 ? 7 : 6);
    else if (line === "data") this.takeData("");
    else if (line === "event") this.name = "";
  }

  private takeData(value: string): void {
    this.data = this.data === undefined ? value : `${this.data}\n${value}`;
    if (this.data.length > this.limit) throw new SseEventTooLargeError(this.limit);
  }

  private dispatch(): void {
    if (this.data !== undefined) {
      this.events.push({ event: this.name === "" ? "message" : this.name, data: this.data });
    }
    this.name = "";
    this.data = undefined;
  }
}

/** A parser for one stream; an event may hold `limit` characters. */
export function createSseParser(limit: number = defaultLimit): SseParser {
  return new SseParser(limit);
}
