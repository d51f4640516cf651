import { invalidResponse } from "../../exchange/dialect-error.ts";
import type { ExchangeEvent } from "../../exchange/event.ts";
import { decodeResponseInTurns } from "../convert-in-turns.ts";
import type { UpstreamResponse } from "../translate-call.ts";
import type { Translation } from "../translation.ts";
import { decodeStream } from "./decode-body.ts";
import { CandidateMerger } from "./merge-candidates.ts";
import { getResponseBounds, lookAt, readResponseJson } from "./read-response.ts";
import { decodeEventList, responseToEvents } from "./response-events.ts";

/** Writes the events of one stream to the client. */
export interface EventWriter {
  /** Whether the stream has ended with an error. */
  readonly failed: boolean;
  /** Writes events. Returns a promise to await if the client is slower than the upstream. */
  write(events: readonly ExchangeEvent[]): Promise<void> | undefined;
}

/** Merges the streams of several calls, one for each candidate, into one stream. Events keep their order of arrival. */
export async function relayCandidates(
  translation: Translation,
  upstreams: readonly UpstreamResponse[],
  writer: EventWriter,
): Promise<void> {
  const merger = new CandidateMerger(upstreams.length);
  const relay = async (upstream: UpstreamResponse, call: number): Promise<void> => {
    for await (const events of readEvents(translation, upstream)) {
      if (writer.failed) return;
      await writer.write(events.flatMap((event) => merger.push(call, event)));
    }
  };
  await Promise.all(upstreams.map(relay));
}

/** Yields the events of an upstream's stream, or of the complete response that it returns instead. */
async function* readEvents(
  translation: Translation,
  upstream: UpstreamResponse,
): AsyncGenerator<readonly ExchangeEvent[]> {
  const { plan } = translation;
  const { shape, body } = await lookAt(upstream.body);
  if (shape === "html") throw invalidResponse("The upstream returned a web page. Check its base_url.");
  if (shape !== "json") return yield* decodeStream(body, plan.upstream.createStreamDecoder());
  const json = await readResponseJson(body, getResponseBounds(plan.request));
  if (Array.isArray(json)) return yield decodeEventList(json, plan.upstream);
  const { value, losses } = await decodeResponseInTurns(plan.upstream, json);
  translation.lose(losses);
  yield responseToEvents(value);
}
