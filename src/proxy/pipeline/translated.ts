import { AppError } from "../../errors.ts";
import type { Usage } from "../exchange/response.ts";
import type { Targets } from "../routing/select-targets.ts";
import { type TranslationOutcome, translateCall } from "../translate/translate-call.ts";
import { parseBaseUrl } from "../upstream/clients.ts";
import { fixedVersion } from "../upstream/request-headers.ts";
import { clientDisconnected } from "../upstream/upstream-errors.ts";
import { findModelData } from "../usage/cost.ts";
import { estimatedUsage, failedUsage, partialUsage } from "../usage/estimate-usage.ts";
import type { Call } from "./call.ts";
import { leaveUpstream, recordSeparate } from "./call-usage.ts";
import { ClientResponse } from "./client-response.ts";
import { DONE, type LaneResult } from "./lane.ts";
import type { CalledOperation } from "./operation-path.ts";
import { callersConversations, callersMemory } from "./stored-conversations.ts";
import { createTransport } from "./translated-transport.ts";

/**
 * Serves a call in the translated lane. Returns a fallback for targets whose dialect, model or API version differs from
 * the first one's.
 */
export async function serveTranslated(
  call: Call,
  called: CalledOperation,
  targets: Targets,
  body: Buffer,
): Promise<LaneResult> {
  const [{ upstream, model }] = targets;
  const { dialect } = upstream;
  if (dialect === "any") throw new AppError("internal", "Cannot translate a call to the echo");
  const response = new ClientResponse(call);
  // The estimate counts the text of JSON. A form contains images or audio.
  const estimable =
    called.operation === "image-edit" || called.operation === "transcription" ? undefined : body;
  const transport = createTransport(call, targets, response, {
    dialect,
    operation: called.operation,
    body: estimable,
  });
  try {
    const translating = translateCall({
      client: {
        dialect: call.dialect,
        operation: called.operation,
        model: call.model ?? "",
        stream: call.stream,
        array: called.array,
        contentType: call.request.headers["content-type"] ?? "application/json",
      },
      body,
      values: call.values,
      target: {
        upstream: upstream.name,
        dialect,
        vendor: upstream.vendor,
        data: findModelData(upstream, model),
        host: parseBaseUrl(upstream.baseUrl).hostname,
        version: fixedVersion(upstream),
        model,
        capabilities: upstream.capabilities,
      },
      strict: call.runtime.config.strictTranslation,
      endsWithDone: call.runtime.config.responsesDone,
      requestId: call.id,
      send: transport.send,
      sendAll: transport.sendAll,
      writer: response,
      redact: call.runtime.redact,
      conversations: callersConversations(call),
      memory: callersMemory(call),
    });
    const outcome = await translating.catch(async (error: unknown) => {
      recordSeparate(call, await transport.countSeparate());
      throw error;
    });
    const rest = transport.remaining();
    if (rest) {
      leaveUpstream(call, await transport.countSeparate());
      return { kind: "fallback", targets: rest };
    }
    const isFailed = outcome.error !== undefined || outcome.clientDisconnected === true;
    const separate = isFailed || transport.isDivided() ? await transport.countSeparate() : [];
    if (separate.length > 0) recordSeparate(call, separate);
    else call.usage = usageOf(called, outcome, response, estimable);
    recordOutcome(call, outcome, response);
    return DONE;
  } finally {
    response.release();
  }
}

/** Records the result of the call. Throws `client_gone` if the client's disconnect ended the translation. */
function recordOutcome(
  call: Call,
  { losses, error, clientDisconnected: isDisconnected }: TranslationOutcome,
  response: ClientResponse,
): void {
  call.losses = losses;
  call.errorMessage = error === undefined ? undefined : call.runtime.redact(error.message);
  if (isDisconnected) throw clientDisconnected();
  if (error !== undefined) call.errorCode = error.errorCode ?? "upstream_error";
  if (!response.isDisconnected) return;
  call.errorCode ??= "client_gone";
  call.errorMessage ??= "the client disconnected";
}

/** Returns the reported usage, completed by estimates if the response ended early or has no counts. */
function usageOf(
  { operation }: CalledOperation,
  { usage, error, clientDisconnected: isDisconnected }: TranslationOutcome,
  { started, written }: ClientResponse,
  body: Buffer | undefined,
): Usage | undefined {
  if (!started) return usage;
  if (isDisconnected) return partialUsage(usage, body, written);
  // There is no sample if the whole response is an error.
  if (error !== undefined) return written.total > 0 ? failedUsage(usage, body, written) : usage;
  return usage ?? (operation === "generate" ? estimatedUsage(body, written) : undefined);
}
