import type { StreamDecoder, WireEvent } from "../../exchange/codec.ts";
import type { Delta, ExchangeEvent } from "../../exchange/event.ts";
import { withoutVolatileFields } from "./volatile-fields.ts";

/** Number of characters that can bypass the codecs before the codecs receive them in one delta. */
const MAX_PENDING = 1_024;
/**
 * Maximum number of consecutive delta events that differ from the previous event in more than their text. After that,
 * no template is created until an event arrives that does not decode to one delta.
 */
const MAX_MISSES = 8;

/**
 * The characters around the text of a delta event and around the same text in the client's event. In both, the text is
 * quoted and contains no escapes.
 */
interface Template {
  readonly name: string;
  /** Whether such events contain volatile fields (`volatile-fields.ts`). */
  readonly hasVolatileFields: boolean;
  readonly before: string;
  readonly after: string;
  readonly outputBefore: string;
  readonly outputAfter: string;
  readonly delta: Delta;
}

/**
 * Translates the events of one stream. Responses consist of thousands of events that differ only in one JSON string
 * (and in fields that no codec reads). After two such events in a row, similar events are not decoded. Instead, their
 * string is inserted into the client's text of the earlier events.
 *
 * The result is exact, because codecs pass a delta's text on without reading it; parts whose text the decoder reads
 * (`StreamDecoder.readsText`) take the slow path. Creating a template requires two events that differ in one string.
 * Each must decode to one delta of the same part, with that string as its text, and their client texts must differ only
 * in that string. Strings with escapes take the slow path, because escapes may be written differently on each side.
 * Events that do not match the template also take the slow path, and the template is then discarded. Codecs that retain
 * the text of a part receive the bypassed text later, in one delta for many events (`StreamDecoder.note`), and always
 * before their next event.
 */
export class DeltaFastPath {
  /** The template of the last event, once two events in a row match it. */
  private known: Template | undefined;
  private seen: Template | undefined;
  private pending = "";
  private misses = 0;

  /**
   * `encode` returns the client's text for canonical events. It must not depend on how the text of a part is split
   * into deltas.
   */
  constructor(
    private readonly decoder: StreamDecoder,
    private readonly encode: (events: readonly ExchangeEvent[]) => string,
  ) {}

  /** Returns the client's text for one event. */
  push(event: WireEvent): string {
    const template = this.known;
    const text = template && extractText(template, event);
    if (template === undefined || text === undefined || !isPlain(text)) return this.takeSlowPath(event);
    this.pending += text;
    if (this.pending.length > MAX_PENDING) this.flush();
    return template.outputBefore + text + template.outputAfter;
  }

  /** Passes to the codecs the text that has bypassed them. Call it before any other use of the codecs. */
  flush(): void {
    if (this.known === undefined || this.pending === "") return;
    const delta = { ...this.known.delta, text: this.pending };
    this.pending = "";
    // Discards the output, which the client has already received.
    this.encode([delta]);
    this.decoder.note?.(delta);
  }

  private takeSlowPath(event: WireEvent): string {
    this.flush();
    const events = this.decoder.push(event);
    const output = this.encode(events);
    this.learn(event, events.length === 1 ? this.getDelta(events[0]) : undefined, output);
    return output;
  }

  /** Returns the event if it is a delta that later events may copy; otherwise undefined. */
  private getDelta(event: ExchangeEvent | undefined): Delta | undefined {
    if (event?.type !== "arguments-delta" && event?.type !== "text-delta") return undefined;
    if (event.type === "text-delta" && event.logprobs !== undefined) return undefined;
    return this.decoder.readsText?.(event.index) === true ? undefined : event;
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

/**
 * Returns the template around a delta's text; undefined if the text is not found in the event or in the output. The
 * template is used only if the next event matches it.
 */
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

/** Returns whether an event that took the slow path matches the template; its text may contain escapes. */
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

/** Returns the text at the template's position; undefined if the rest of the event differs. */
function extractText(
  { name, hasVolatileFields, before, after }: Template,
  event: WireEvent,
): string | undefined {
  const data = hasVolatileFields ? withoutVolatileFields(event.data) : event.data;
  const end = data.length - after.length;
  if (end <= before.length || event.event !== name) return undefined;
  // Compares slices: `startsWith` compares character by character and takes four times as long.
  const isSame = data.slice(0, before.length) === before && data.slice(end) === after;
  return isSame ? data.slice(before.length, end) : undefined;
}

/** Decodes the characters between the quotes of a JSON string; returns undefined if they are invalid. */
function unescapeString(inside: string): string | undefined {
  try {
    const value: unknown = JSON.parse(`"${inside}"`);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns whether a text is not empty and needs no escapes in JSON. (Lone surrogates need escapes too, but decoded
 * UTF-8 has none.)
 */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === 0x22 || code === 0x5c) return false;
  }
  return text !== "";
}
