import { StringDecoder } from "node:string_decoder";

/** One server-sent event: its name (default `message`) and its data, with lines joined by line feeds. */
export interface SseEvent {
  readonly event: string;
  readonly data: string;
}

/** Reports an event that is larger than the parser's limit. */
export class SseEventTooLargeError extends Error {
  constructor(limit: number) {
    super(`An event of the stream is larger than ${limit} characters.`);
    this.name = "SseEventTooLargeError";
  }
}

/** Maximum characters of an event, which can contain images. */
const defaultLimit = 8 * 1024 * 1024;
const lineEnd = /\r\n|\r|\n/g;
const byteOrderMark = "\uFEFF";

/**
 * Parses server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) that are split at any
 * byte. `eventsource-parser` is not used, because it takes 1.2 to 1.7 times the CPU time for streams with line feeds
 * (docs/dependencies.md).
 */
export class SseParser {
  private readonly decoder = new StringDecoder("utf8");
  /** The beginning of an incomplete line. */
  private rest = "";
  /** The id that applied to the last complete event, from which a client resumes; undefined before the first id. */
  lastEventId: string | undefined;
  /** The reconnection time that the stream requests (`retry`), in milliseconds. */
  retryMs: number | undefined;
  private begun = false;
  private endedInReturn = false;
  private name = "";
  private id: string | undefined;
  private data: string | undefined;
  private events: SseEvent[] = [];

  constructor(private readonly limit: number) {}

  /** Parses the next bytes, which may begin and end anywhere in an event. Throws `SseEventTooLargeError`. */
  push(bytes: Uint8Array): readonly SseEvent[] {
    this.takeText(this.decoder.write(bytes as Buffer));
    return this.take();
  }

  /** Ends the stream. Also returns an event without a final blank line, which several upstreams omit. */
  end(): readonly SseEvent[] {
    this.takeText(this.decoder.end());
    this.takeLine(this.rest);
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
    // Skips the line feed of a split CRLF, whose carriage return has already ended the line.
    if (this.endedInReturn && fresh.startsWith("\n")) fresh = fresh.slice(1);
    this.endedInReturn = false;
    const from = fresh.includes("\r") ? this.takeLines(fresh) : this.takeFedLines(fresh);
    this.rest += fresh.slice(from);
    if (this.rest.length > this.limit) throw new SseEventTooLargeError(this.limit);
  }

  /** Parses all lines that end in a line feed, the common case; returns the start of the next one. */
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
    else if (line.startsWith("id:")) this.id = line.slice(line.charCodeAt(3) === 32 ? 4 : 3);
    else if (line.startsWith("retry:")) this.takeRetry(line.slice(6).trim());
    else if (line === "data") this.takeData("");
    else if (line === "event") this.name = "";
    else if (line === "id") this.id = "";
  }

  private takeRetry(value: string): void {
    if (/^\d{1,9}$/.test(value)) this.retryMs = Number(value);
  }

  private takeData(value: string): void {
    this.data = this.data === undefined ? value : `${this.data}\n${value}`;
    if (this.data.length > this.limit) throw new SseEventTooLargeError(this.limit);
  }

  private dispatch(): void {
    if (this.data !== undefined) {
      this.events.push({ event: this.name === "" ? "message" : this.name, data: this.data });
    }
    this.lastEventId = this.id;
    this.name = "";
    this.data = undefined;
  }
}

/** Returns a parser for one stream; an event may have at most `limit` characters. */
export function createSseParser(limit: number = defaultLimit): SseParser {
  return new SseParser(limit);
}
