import { eventStreamHeaders, serializeComment } from "../../../sse/serialize.ts";
import { isClientDisconnect, toExchangeError } from "../../dialect-errors.ts";
import { getProfile } from "../../dialects/index.ts";
import type { StreamEncoder, WireEvent } from "../../exchange/codec.ts";
import { DialectError, invalidResponse } from "../../exchange/dialect-error.ts";
import type { ExchangeError } from "../../exchange/error.ts";
import type { ExchangeEvent } from "../../exchange/event.ts";
import { stringifyJson } from "../../exchange/json.ts";
import { mergeUsage } from "../../exchange/usage.ts";
import { keptId } from "../conversations/threads.ts";
import { decodeResponseInTurns, encodeResponseInTurns } from "../convert-in-turns.ts";
import { createLossHeader } from "../loss-header.ts";
import { refusal, STRICT } from "../strict-translation.ts";
import type { UpstreamResponse } from "../translate-call.ts";
import { type Translation, withoutSecrets } from "../translation.ts";
import { decodingTurns } from "./decoding-turns.ts";
import { DeltaFastPath } from "./delta-fast-path.ts";
import { EventReader, getResponseBounds, lookAt, readResponseJson } from "./read-response.ts";
import { type EventWriter, relayCandidates } from "./relay-candidates.ts";
import { decodeEventList, ResponseCollector, responseToEvents } from "./response-events.ts";
import { StreamGuard } from "./stream-guard.ts";

/** Maximum milliseconds by which the status is delayed, so that an early error can still set it. */
const FIRST_EVENT_TIMEOUT_MS = 5_000;
/**
 * Limits for reading the data that an upstream sends after its terminal event, so that its connection can be reused.
 */
const MAX_TRAILING_BYTES = 64 * 1024;
const MAX_TRAILING_MS = 500;

/**
 * Responds with a stream, relaying the upstream's events one by one or converting its complete response. If there are
 * several responses, each has one candidate.
 */
export async function sendStream(
  translation: Translation,
  upstreams: readonly UpstreamResponse[],
): Promise<void> {
  const writer = new StreamWriter(translation);
  const [upstream] = upstreams;
  try {
    writer.waitForFirst();
    if (upstreams.length === 1 && upstream) await relay(translation, upstream, writer);
    else await relayCandidates(translation, upstreams, writer);
  } catch (error) {
    if (isClientDisconnect(error)) throw error;
    await writer.fail(toExchangeError(error));
  } finally {
    writer.close();
  }
}

async function relay(
  translation: Translation,
  upstream: UpstreamResponse,
  writer: StreamWriter,
): Promise<void> {
  const { shape, body } = await lookAt(upstream.body);
  if (shape === "html") throw invalidResponse("The upstream returned a web page. Check its base_url.");
  if (shape === "json") {
    const json = await readResponseJson(body, getResponseBounds(translation.plan.request));
    if (Array.isArray(json)) return writer.write(decodeEventList(json, translation.plan.upstream));
    const { value, losses } = await decodeResponseInTurns(translation.plan.upstream, json);
    translation.lose(losses);
    await writer.write(responseToEvents(value));
    return;
  }
  const parser = new EventReader();
  const decoder = translation.plan.upstream.createStreamDecoder();
  const fastPath = new DeltaFastPath(decoder, (events) => writer.encode(events));
  const { readsTexts } = translation.plan.prepared;
  const decode = (event: WireEvent) =>
    readsTexts ? writer.encode(decoder.push(event)) : fastPath.push(event);
  const chunks = body[Symbol.asyncIterator]();
  for (let step = await chunks.next(); step.done !== true; step = await chunks.next()) {
    const turn = decodingTurns.take(step.value.length);
    if (turn !== undefined) await turn;
    for (const [index, event] of parser.push(step.value).entries()) {
      const pause = decodingTurns.pauseAt(index);
      if (pause !== undefined) await pause;
      writer.add(decode(event));
    }
    const wait = writer.send();
    if (wait !== undefined) await wait;
    if (writer.failed) return;
    if (writer.ended) {
      translation.plan.call.writer.readLater(skipRest(chunks));
      return;
    }
  }
  for (const event of parser.end()) writer.add(decode(event));
  fastPath.flush();
  await writer.write(decoder.end());
}

/** Reads the rest of an upstream's body after the client has received everything; ignores errors. */
async function skipRest(chunks: AsyncIterator<Uint8Array>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), MAX_TRAILING_MS);
  });
  try {
    for (let left = MAX_TRAILING_BYTES; left > 0; ) {
      const step = await Promise.race([chunks.next(), late]);
      if (step === undefined || step.done === true) return;
      left -= step.value.length;
    }
  } catch {
    // The client already has the complete response.
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Writes canonical events to the client: checks, restores and encodes them. The first event sets the status if it
 * arrives within `FIRST_EVENT_TIMEOUT_MS`.
 */
class StreamWriter implements EventWriter {
  private readonly guard = new StreamGuard();
  private readonly filter: ((event: ExchangeEvent) => readonly ExchangeEvent[]) | undefined;
  private readonly restore: (event: ExchangeEvent) => ExchangeEvent;
  private readonly encoder: StreamEncoder;
  private readonly collector: ResponseCollector | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** The id of the response that the client received, if the response is collected. */
  private id: string | undefined;
  private begun = false;
  private unsent = "";
  private hasStreamKeepAlive = false;
  failed = false;

  constructor(private readonly translation: Translation) {
    this.filter = translation.plan.prepared.createEventFilter();
    this.restore = translation.plan.prepared.createEventRestorer();
    this.encoder = translation.plan.client.createStreamEncoder(translation.plan.context);
    const { isKept, isRemembered } = translation.plan;
    this.collector = isKept || isRemembered ? new ResponseCollector() : undefined;
  }

  /** Whether the terminal event has been encoded. */
  get ended(): boolean {
    return this.guard.ended;
  }

  waitForFirst(): void {
    this.timer = setTimeout(() => this.start(), FIRST_EVENT_TIMEOUT_MS);
    this.timer.unref();
  }

  /** Encodes and sends events. Returns a promise if the client is slower than the upstream. */
  write(events: readonly ExchangeEvent[]): Promise<void> | undefined {
    this.add(this.encode(events));
    return this.send();
  }

  /**
   * Returns the client's text for these events, to be passed to `add`. Throws `DialectError` for an error before any
   * other text if the status has not been sent, so that the error sets the status.
   */
  encode(events: readonly ExchangeEvent[]): string {
    let text = "";
    const kept = this.filter === undefined ? events : events.flatMap(this.filter);
    for (const event of kept) {
      const checked = this.guard.check(event);
      if (checked === undefined) break;
      const restored = this.restore(this.own(checked));
      this.watch(restored);
      const isFirst = this.unsent === "" && text === "" && !this.translation.plan.call.writer.started;
      if (isFirst && restored.type === "error") throw new DialectError(restored.error);
      text += restored.type === "end" ? this.encodeEnd(restored) : this.encoder.push(restored);
    }
    return text;
  }

  /**
   * Returns the client's text for the end of the stream. If the client's dialect accepts comments, a comment with the
   * encoder's losses, which the headers do not contain, precedes it. Under `strict_translation`, returns an error if
   * there are such losses.
   */
  private encodeEnd(event: Extract<ExchangeEvent, { type: "end" }>): string {
    const { call, client } = this.translation.plan;
    const lost = this.encoder.losses;
    if (call.strict && lost.length > 0) {
      const { error } = refusal(STRICT, lost);
      this.failed = true;
      this.translation.fail(error);
      return this.encoder.push({ type: "error", error });
    }
    const text = this.encoder.push(event);
    const [comment] = Object.entries(this.lateLosses()).map(([name, codes]) =>
      serializeComment(`${name}: ${codes}`),
    );
    if (comment === undefined || !getProfile(client.dialect).client.acceptsComments) return text;
    return comment + text;
  }

  /** Returns the trailer with the encoder's losses, which the headers do not contain. */
  private lateLosses(): Readonly<Record<string, string>> {
    return createLossHeader(this.encoder.losses.map(({ code }) => code));
  }

  /** Adds text to the next `send`, which writes the text of all events of a chunk. */
  add(text: string): void {
    this.unsent += text;
  }

  /** Redacts errors, and applies `Translation.unnamed` to the start event. */
  private own(event: ExchangeEvent): ExchangeEvent {
    if (event.type === "start") return this.translation.unnamed(event);
    if (event.type !== "error") return event;
    return { ...event, error: withoutSecrets(event.error, this.translation.plan.call.redact) };
  }

  /** Ends the response with an error: as a whole response if none has started, else as the stream's last event. */
  async fail(error: ExchangeError): Promise<void> {
    this.failed = true;
    if (!this.translation.plan.call.writer.started) {
      this.translation.respondWithError(error);
      return;
    }
    this.translation.fail(error);
    if (this.guard.ended) return;
    await this.write([{ type: "error", error }]);
  }

  close(): void {
    clearTimeout(this.timer);
    this.translation.lose(this.encoder.losses);
  }

  /** Sends the added text. Returns a promise if the client is slower than the upstream. */
  send(): Promise<void> | undefined {
    const text = this.unsent;
    if (text === "") return undefined;
    this.unsent = "";
    const { writer } = this.translation.plan.call;
    if (!writer.started) this.start();
    if (this.guard.ended && this.collector !== undefined && !this.failed) {
      // The client may use the response's id as soon as the stream has ended, so the conversation is stored first.
      return this.keep().finally(() => writer.end(text, this.lateLosses()));
    }
    if (this.guard.ended) {
      writer.end(text, this.lateLosses());
      return undefined;
    }
    const wait = writer.write(text);
    if (this.begun && !this.hasStreamKeepAlive) {
      this.hasStreamKeepAlive = true;
      this.keepAlive();
    }
    return wait;
  }

  private start(): void {
    const { writer, client } = this.translation.plan.call;
    clearTimeout(this.timer);
    if (writer.started) return;
    const headers = client.array
      ? { ...eventStreamHeaders, "content-type": "application/json" }
      : eventStreamHeaders;
    writer.start(200, { ...this.translation.lossHeaders(), ...headers });
    this.keepAlive();
  }

  /** Sets the keep-alive of the client's dialect, which may depend on whether the stream has begun. */
  private keepAlive(): void {
    this.translation.plan.call.writer.keepAlive(this.encoder.push({ type: "ping" }));
  }

  private watch(event: ExchangeEvent): void {
    this.collector?.push(event);
    if (event.type === "start") this.begin(event.id);
    if (event.type === "start" || event.type === "usage" || event.type === "end") {
      this.translation.usage = mergeUsage(this.translation.usage, event.usage);
    }
    if (event.type === "error") {
      this.failed = true;
      this.translation.fail(event.error);
    }
  }

  private begin(id: string | undefined): void {
    this.begun = true;
    const { client, context } = this.translation.plan;
    if (this.collector !== undefined) this.id = keptId(client, id, context);
  }

  private async keep(): Promise<void> {
    if (this.collector === undefined) return;
    const response = this.collector.response();
    const { client, context, isKept } = this.translation.plan;
    await this.translation.remember(response);
    if (!isKept) return;
    const { value } = await encodeResponseInTurns(client, response, context);
    const json = stringifyJson(value);
    await this.translation.keep(this.id ?? "", response, json);
  }
}
