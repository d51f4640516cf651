import type { StreamDecoder, WireEvent } from "../../exchange/codec.ts";
import type { Delta, ExchangeEvent } from "../../exchange/event.ts";
import { withoutVolatileFields } from "./volatile-fields.ts";

/** Characters that are read past the codecs before they are told of them. */
const MAX_PENDING = 1_024;
/** Events in a row, of one part, that differ from the one before in more than a text: this stream has no shape. */
const MAX_MISSES = 8;

/**
 * What an event has to look like to be the one before it with another text, and what the client is told then: in both
 * the text stands as it is, between quotes.
 */
interface Template {
  readonly name: string;
  /** Whether such events hold what is not compared (`volatile-fields.ts`). */
  readonly hasVolatileFields: boolean;
  readonly before: string;
  readonly after: string;
  readonly outputBefore: string;
  readonly outputAfter: string;
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
export class DeltaFastPath {
  /** The shape of the last event, once the one before has been found to have it as well. */
  private known: Template | undefined;
  private seen: Template | undefined;
  private pending = "";
  private misses = 0;

  /** `encode` gives the client's text of canonical events; a delta more or less of one part must be all the same to it. */
  constructor(
    private readonly decoder: StreamDecoder,
    private readonly encode: (events: readonly ExchangeEvent[]) => string,
  ) {}

  /** The client's text of one event. */
  push(event: WireEvent): string {
    const template = this.known;
    const text = template && extractText(template, event);
    if (template === undefined || text === undefined || !isPlain(text)) return this.takeSlowPath(event);
    this.pending += text;
    if (this.pending.length > MAX_PENDING) this.flush();
    return template.outputBefore + text + template.outputAfter;
  }

  /** Tells the codecs what was read past them; to be called before they are used in any other way. */
  flush(): void {
    if (this.known === undefined || this.pending === "") return;
    const delta = { ...this.known.delta, text: this.pending };
    this.pending = "";
    // The client has been told.
    this.encode([delta]);
    this.decoder.note?.(delta);
  }

  private takeSlowPath(event: WireEvent): string {
    this.flush();
    const events = this.decoder.push(event);
    const output = this.encode(events);
    this.learn(event, events.length === 1 ? getDelta(events[0]) : undefined, output);
    return output;
  }

  private learn(event: WireEvent, delta: Delta | undefined, output: string): void {
    const { known, seen } = this;
    if (delta !== undefined && known !== undefined && matchesTemplate(known, event, delta, output)) return;
    this.known = undefined;
    this.seen = undefined;
    if (delta === undefined) this.misses = 0;
    else if (seen === undefined || !isPlain(delta.text) || seen.delta.text === delta.text) {
      if (this.misses < MAX_MISSES) this.seen = createTemplate(event, delta, output);
    } else if (matchesTemplate(seen, event, delta, output)) {
      this.known = seen;
      this.misses = 0;
    } else {
      this.misses += 1;
      if (this.misses < MAX_MISSES) this.seen = createTemplate(event, delta, output);
    }
  }
}

function getDelta(event: ExchangeEvent | undefined): Delta | undefined {
  if (event?.type === "arguments-delta") return event;
  return event?.type === "text-delta" && event.logprobs === undefined ? event : undefined;
}

/** The shape around a text that stands in what came and in what was told; whether it comes from there, the next event shows. */
function createTemplate(
  { event: name, data }: WireEvent,
  delta: Delta,
  output: string,
): Template | undefined {
  if (!isPlain(delta.text)) return undefined;
  const clean = withoutVolatileFields(data);
  const input = splitAround(clean, delta.text);
  const written = splitAround(output, delta.text);
  if (input === undefined || written === undefined) return undefined;
  return {
    name,
    hasVolatileFields: clean !== data,
    before: input.before,
    after: input.after,
    outputBefore: written.before,
    outputAfter: written.after,
    delta,
  };
}

function splitAround(whole: string, text: string): { before: string; after: string } | undefined {
  const quoted = `"${text}"`;
  const at = whole.indexOf(quoted);
  if (at < 0) return undefined;
  return { before: whole.slice(0, at + 1), after: whole.slice(at + quoted.length - 1) };
}

/** Whether an event that took the long way was the shape's with another text, which may hold escapes. */
function matchesTemplate(template: Template, event: WireEvent, delta: Delta, output: string): boolean {
  if (delta.type !== template.delta.type || delta.index !== template.delta.index) return false;
  if (!output.startsWith(template.outputBefore) || !output.endsWith(template.outputAfter)) return false;
  const { text } = delta;
  const input = extractText(template, event);
  if (!isPlain(text)) return input !== undefined && unescapeString(input) === text;
  return (
    input === text &&
    output.length === template.outputBefore.length + text.length + template.outputAfter.length
  );
}

/** What stands in the place of the shape's text; undefined where the rest of the event is another. */
function extractText(
  { name, hasVolatileFields, before, after }: Template,
  event: WireEvent,
): string | undefined {
  const data = hasVolatileFields ? withoutVolatileFields(event.data) : event.data;
  const end = data.length - after.length;
  if (end <= before.length || event.event !== name) return undefined;
  // Compared as slices: `startsWith` goes character by character, which takes four times as long.
  const isSame = data.slice(0, before.length) === before && data.slice(end) === after;
  return isSame ? data.slice(before.length, end) : undefined;
}

/** The string that this is the inside of; undefined where it is none. */
function unescapeString(inside: string): string | undefined {
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
