import { randomBytes } from "node:crypto";

/** An event after which a client can continue a stream. `data` is empty if the event has only an id. */
export interface RecordedEvent {
  readonly id: string;
  readonly data: string;
}

/** A connection to a client that receives a stream. */
export interface StreamSink {
  write(event: RecordedEvent): void;
  end(): void;
}

/** Maximum characters of all recorded events of a process. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** Counts the characters of the recorded events of all streams, and drops the oldest events above the limit. */
export class EventMemory {
  private readonly owners = new Map<RecordedEvent, Set<RecordedEvent>>();
  private size = 0;

  constructor(private readonly max = MAX_CHARACTERS) {}

  add(event: RecordedEvent, owner: Set<RecordedEvent>): void {
    owner.add(event);
    this.owners.set(event, owner);
    this.size += event.data.length;
    for (const [oldest, events] of this.owners) {
      if (this.size <= this.max) return;
      this.delete(oldest);
      events.delete(oldest);
    }
  }

  delete(event: RecordedEvent): void {
    if (this.owners.delete(event)) this.size -= event.data.length;
  }
}

/**
 * Records the events of one stream to a client, so that the client can continue the stream on another connection.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
export class StreamRecord {
  readonly name = randomBytes(6).toString("base64url");
  /** The `performance.now()` at which the stream ended or lost its connection; undefined while a client receives it. */
  idleSince: number | undefined;
  private readonly events = new Set<RecordedEvent>();
  private serial = 0;
  private sink: StreamSink | undefined;
  private isEnded = false;
  private isReplaced = false;

  constructor(
    private readonly memory: EventMemory,
    private readonly onEnd?: () => void,
  ) {}

  /** Whether the client has lost the connection of an endless stream. */
  get isLost(): boolean {
    return this.onEnd !== undefined && this.idleSince !== undefined;
  }

  /** Records an event, and sends it if a client is connected. */
  add(data: string): void {
    if (this.isEnded) return;
    this.serial += 1;
    const event = { id: `${this.name}.${this.serial}`, data };
    this.memory.add(event, this.events);
    this.sink?.write(event);
  }

  /** Sends the recorded events after number `after`, and from then on every new event. */
  attach(sink: StreamSink, after = 0): void {
    this.sink?.end();
    this.sink = sink;
    this.idleSince = undefined;
    for (const event of this.events) if (toNumber(event.id) > after) sink.write(event);
    if (this.isEnded) this.detach(sink, true);
  }

  /** Stops sending events to a connection. Does nothing if another connection receives the stream. */
  detach(sink: StreamSink, isLast = false): void {
    if (this.sink !== sink) return;
    this.sink = undefined;
    this.idleSince = performance.now();
    if (isLast) sink.end();
    else if (this.isReplaced) this.end();
  }

  /** Makes an endless stream end when its client disconnects, because the client has opened another stream. */
  replace(): void {
    this.isReplaced = this.onEnd !== undefined;
  }

  /** Ends the stream after its last event. A client can still continue the stream to receive events that it missed. */
  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.idleSince ??= performance.now();
    if (this.sink !== undefined) this.detach(this.sink, true);
    this.onEnd?.();
  }

  /** Ends the stream and discards its events. */
  drop(): void {
    this.end();
    for (const event of this.events) this.memory.delete(event);
    this.events.clear();
  }
}

/** Milliseconds for which a stream without a client is retained. */
const RETAIN_MS = 60_000;

/** The recorded streams of one client. */
export class StreamRecords {
  private readonly records = new Map<string, StreamRecord>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly memory: EventMemory) {}

  /** Begins a stream. Calls `onEnd` once: when the stream ends, or if the client does not reconnect in time. */
  begin(onEnd?: () => void): StreamRecord {
    const record = new StreamRecord(this.memory, onEnd);
    this.records.set(record.name, record);
    this.timer ??= setInterval(() => this.sweep(), RETAIN_MS / 4).unref();
    return record;
  }

  /** Returns the stream of an event and the number of the event; undefined if the stream is no longer retained. */
  find(eventId: string): { readonly record: StreamRecord; readonly after: number } | undefined {
    const record = this.records.get(eventId.slice(0, Math.max(0, eventId.lastIndexOf("."))));
    return record && { record, after: toNumber(eventId) };
  }

  drop(record: StreamRecord): void {
    this.records.delete(record.name);
    record.drop();
    if (this.records.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /**
   * Drops the endless streams that have lost their connection. The others end when their connection ends, because a
   * server may reject a second stream.
   */
  dropLost(): void {
    for (const record of this.records.values())
      if (record.isLost) this.drop(record);
      else record.replace();
  }

  dropAll(): void {
    for (const record of this.records.values()) this.drop(record);
  }

  private sweep(): void {
    const limit = performance.now() - RETAIN_MS;
    for (const record of this.records.values())
      if (record.idleSince !== undefined && record.idleSince < limit) this.drop(record);
  }
}

function toNumber(eventId: string): number {
  const number = Number(eventId.slice(eventId.lastIndexOf(".") + 1));
  return Number.isSafeInteger(number) ? number : 0;
}
