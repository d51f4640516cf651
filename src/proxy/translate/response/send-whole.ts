import { turnIfLarge } from "../../../json/bounds.ts";
import { DialectError, invalidResponse } from "../../exchange/dialect-error.ts";
import type { ExchangeEvent } from "../../exchange/event.ts";
import { stringifyJson } from "../../exchange/json.ts";
import type { ExchangeResponse } from "../../exchange/response.ts";
import { decodeResponseInTurns, encodeResponseInTurns } from "../convert-in-turns.ts";
import { LARGE_JSON, stringifyLargeJson } from "../large-json.ts";
import { refuseLosses } from "../strict-translation.ts";
import type { UpstreamResponse } from "../translate-call.ts";
import type { Translation } from "../translation.ts";
import { decodeStream } from "./decode-body.ts";
import { mergeResponses } from "./merge-candidates.ts";
import { getResponseBounds, lookAt, readResponseJson } from "./read-response.ts";
import { decodeEventList, ResponseCollector } from "./response-events.ts";
import { findResponseError, StreamGuard } from "./stream-guard.ts";

/**
 * Responds with a complete body, from the upstream's complete response or from a stream that the upstream returned
 * although none was requested. If there are several responses, each has one candidate.
 */
export async function sendWhole(
  translation: Translation,
  upstreams: readonly UpstreamResponse[],
): Promise<void> {
  const responses = await Promise.all(upstreams.map((upstream) => read(translation, upstream)));
  const given = responses.length === 1 && responses[0] ? responses[0] : mergeResponses(responses);
  translation.usage = given.usage;
  const response = translation.unnamed(translation.plan.prepared.restoreResponse(given));
  const error = findResponseError(response);
  if (error !== undefined) throw new DialectError(error);
  await turnIfLarge(translation.responseLength);
  const { client, context } = translation.plan;
  const { value, losses } = await encodeResponseInTurns(client, response, context);
  translation.lose(losses);
  refuseLosses(translation.plan.call, losses);
  const { writer } = translation.plan.call;
  await turnIfLarge(translation.responseLength);
  const isLarge = translation.responseLength > LARGE_JSON;
  const json = isLarge ? await stringifyLargeJson(value) : stringifyJson(value);
  await translation.remember(response);
  await translation.keep(idIn(value), response, json);
  const headers = { "content-type": "application/json", ...translation.lossHeaders() };
  writer.respond(200, headers, json);
}

async function read(translation: Translation, upstream: UpstreamResponse): Promise<ExchangeResponse> {
  const { shape, body } = await lookAt(upstream.body);
  if (shape === "html") throw invalidResponse("The upstream returned a web page. Check its base_url.");
  return shape === "events" ? collect(translation, body) : decode(translation, body);
}

async function decode(translation: Translation, body: AsyncIterable<Uint8Array>): Promise<ExchangeResponse> {
  const json = await readResponseJson(body, getResponseBounds(translation.plan.request), (length) => {
    translation.responseLength += length;
  });
  if (Array.isArray(json)) return collectResponse(decodeEventList(json, translation.plan.upstream));
  const { value, losses } = await decodeResponseInTurns(translation.plan.upstream, json);
  translation.lose(losses);
  return value;
}

function collectResponse(events: readonly ExchangeEvent[]): ExchangeResponse {
  const gathering = new Gathering();
  gathering.push(events);
  return gathering.response();
}

/** Collects the response from the events of a stream as they arrive. */
class Gathering {
  private readonly guard = new StreamGuard();
  private readonly collector = new ResponseCollector();

  /** Adds events. Returns whether the last event ends the stream. */
  push(events: readonly ExchangeEvent[]): boolean {
    for (const event of events) {
      const checked = this.guard.check(event);
      if (checked !== undefined) this.collector.push(checked);
    }
    const last = events.at(-1);
    return last?.type === "end" || last?.type === "error";
  }

  /** Returns the response. Throws `DialectError` if the stream had an error. */
  response(): ExchangeResponse {
    if (this.collector.error !== undefined) throw new DialectError(this.collector.error);
    return this.collector.response();
  }
}

async function collect(translation: Translation, body: AsyncIterable<Uint8Array>): Promise<ExchangeResponse> {
  const gathering = new Gathering();
  for await (const events of decodeStream(body, translation.plan.upstream.createStreamDecoder())) {
    if (gathering.push(events)) break;
  }
  return gathering.response();
}

function idIn(value: unknown): string {
  return typeof value === "object" && value !== null && "id" in value ? String(value.id) : "";
}
