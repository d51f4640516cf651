import type { StreamDecoder, WireEvent } from "../../exchange/codec.ts";
import type { Delta, ExchangeEvent } from "../../exchange/event.ts";
import { withoutNoise } from "./event-noise.ts";

/** Characters that are read past the codecs before they are told of them. */
const maxUnsettled = 1_024;
/** Events in a row, of one part, that differ from the one before in more than a text: this stream has no shape. */
const maxMisses = 8;

/**
 * What an event has to look like to be the one before it with another text, and what the client is told then: in both
 * the text stands as it is, between quotes.
 */
interface Shape {
  readonly name: string;
  /** Whether such events hold what is not compared (`event-noise.ts`). */
  readonly noisy: boolean;
  readonly before: string;
  readonly after: string;
  readonly toldBefore: string;
  readonly toldAfter: string;
  readonly delta: Delta;
}

/**
 * Translates a stream's events one by one. Models answer in thousands of events that differ in nothing but one JSON
 * string (and what no codec reads), so what two of them in a row have shown is not worked out again: an event of the
 * same bytes but for that string becomes the same text for the client but for that string.
 *
 * That is exact, because codecs hand a delta's text on without looking into it. Two events that differ in one string
 * only, came to one delta each with that string as its text, in the same part, and were told to the client in texts
 * that differ in that string only: so a third one must, whatever it says. Strings that need escapes take the long way,
 * as escapes depend on where a string stands; and so does all else, whereafter a shape holds only if the event had it
 * too. What codecs keep of a part's text they are told later, in one delta that stands for many (`StreamDecoder.note`),
 * and always before they see another event.
 */
export class RepeatedDeltas {
  /** The shape of the last event, once the one before has been found to have it as well. */
  private known: Shape | undefined;
  private seen: Shape | undefined;
  private unsettled = "";
  private misses = 0;

  /** `encode` gives the client's text of canonical events; a delta more or less of one part must be all the same to it. */
  constructor(
    private readonly decoder: StreamDecoder,
    private readonly encode: (events: readonly ExchangeEvent[]) => string,
  ) {}

  /** The client's text of one event. */
  push(event: WireEvent): string {
    const shape = this.known;
    const text = shape && textIn(shape, event);
    if (shape === undefined || text === undefined || !isPlain(text)) return this.goTheLongWay(event);
    this.unsettled += text;
    if (this.unsettled.length > maxUnsettled) this.settle();
    return shape.toldBefore + text + shape.toldAfter;
  }

  /** Tells the codecs what was read past them; to be called before they are used in any other way. */
  settle(): void {
    if (this.known === undefined || this.unsettled === "") return;
    const delta = { ...this.known.delta, text: this.unsettled };
    this.unsettled = "";
    // The client has been told.
    this.encode([delta]);
    this.decoder.note?.(delta);
  }

  private goTheLongWay(event: WireEvent): string {
    this.settle();
    const events = this.decoder.push(event);
    const told = this.encode(events);
    this.learn(event, events.length === 1 ? deltaOf(events[0]) : undefined, told);
    return told;
  }

  private learn(event: WireEvent, delta: Delta | undefined, told: string): void {
    const { known, seen } = this;
    if (delta !== undefined && known !== undefined && hasShape(known, event, delta, told)) return;
    this.known = undefined;
    this.seen = undefined;
    if (delta === undefined) this.misses = 0;
    else if (seen === undefined || !isPlain(delta.text) || seen.delta.text === delta.text) {
      if (this.misses < maxMisses) this.seen = shapeOf(event, delta, told);
    } else if (hasShape(seen, event, delta, told)) {
      this.known = seen;
      this.misses = 0;
    } else {
      this.misses += 1;
      if (this.misses < maxMisses) this.seen = shapeOf(event, delta, told);
    }
  }
}

function deltaOf(event: ExchangeEvent | undefined): Delta | undefined {
  if (event?.type === "arguments-delta") return event;
  return event?.type === "text-delta" && event.logprobs === undefined ? event : undefined;
}

/** The shape around a text that stands in what came and in what was told; whether it comes from there, the next event shows. */
function shapeOf({ event: name, data }: WireEvent, delta: Delta, told: string): Shape | undefined {
  if (!isPlain(delta.text)) return undefined;
  const clean = withoutNoise(data);
  const came = around(clean, delta.text);
  const went = around(told, delta.text);
  if (came === undefined || went === undefined) return undefined;
  return {
    name,
    noisy: clean !== data,
    before: came.before,
    after: came.after,
    toldBefore: went.before,
    toldAfter: went.after,
    delta,
  };
}

function around(whole: string, text: string): { before: string; after: string } | undefined {
  const quoted = `"${text}"`;
  const at = whole.indexOf(quoted);
  if (at < 0) return undefined;
  return { before: whole.slice(0, at + 1), after: whole.slice(at + quoted.length - 1) };
}

/** Whether an event that took the long way was the shape's with another text, which may hold escapes. */
function hasShape(shape: Shape, event: WireEvent, delta: Delta, told: string): boolean {
  if (delta.type !== shape.delta.type || delta.index !== shape.delta.index) return false;
  if (!told.startsWith(shape.toldBefore) || !told.endsWith(shape.toldAfter)) return false;
  const { text } = delta;
  const came = textIn(shape, event);
  if (!isPlain(text)) return came !== undefined && unescaped(came) === text;
  return came === text && told.length === shape.toldBefore.length + text.length + shape.toldAfter.length;
}

/** What stands in the place of the shape's text; undefined where the rest of the event is another. */
function textIn({ name, noisy, before, after }: Shape, event: WireEvent): string | undefined {
  const data = noisy ? withoutNoise(event.data) : event.data;
  const end = data.length - after.length;
  if (end <= before.length || event.event !== name) return undefined;
  // Compared as slices: `startsWith` goes character by character, which takes four times as long.
  const isSame = data.slice(0, before.length) === before && data.slice(end) === after;
  return isSame ? data.slice(before.length, end) : undefined;
}

/** The string that this is the inside of; undefined where it is none. */
function unescaped(inside: string): string | undefined {
  try {
    const value: unknown = JSON.parse(`"${inside}"`);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a text, not empty, stands in JSON as it is. (So would half a surrogate pair not, but bytes hold none unescaped.) */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === 0x22 || code === 0x5c) return false;
  }
  return text !== "";
}
