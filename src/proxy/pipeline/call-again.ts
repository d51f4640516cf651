import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Services } from "../services.ts";
import { stringifyLargeJson } from "../translate/large-json.ts";

export interface CallAgainOptions {
  /**
   * The client's request. The new call has the same headers and address, so it is admitted and counted as the client's.
   */
  readonly request: IncomingMessage;
  /** Headers that replace those of the request. */
  readonly headers?: IncomingHttpHeaders | undefined;
  readonly body: unknown;
  /** Path with its query; `/v1/responses` by default. */
  readonly path?: string | undefined;
  /** Aborts the call, as if the client had disconnected. */
  readonly signal: AbortSignal;
}

/**
 * Sends another call to the proxy's own routes on behalf of a client, and returns the response. Rejects if the call is
 * aborted.
 */
export async function callAgain(
  { sendInternally }: Pick<Services, "sendInternally">,
  { request, headers = request.headers, body, path = "/v1/responses", signal }: CallAgainOptions,
): Promise<IncomingMessage> {
  const { socket } = request;
  return sendInternally({
    method: "POST",
    path,
    headers,
    peer: socket.remoteAddress,
    body: await stringifyLargeJson(body),
    signal,
  });
}
