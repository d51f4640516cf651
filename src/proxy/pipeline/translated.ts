import { AppError } from "../../errors.ts";
import type { Places } from "../routing/select-targets.ts";
import { translateCall } from "../translate/translate-call.ts";
import { clientGone } from "../upstream/upstream-errors.ts";
import { partialUsage } from "../usage/estimate-usage.ts";
import type { Call } from "./call.ts";
import type { CalledOperation } from "./operation-path.ts";
import { type GoOn, OtherLane } from "./other-lane.ts";
import { CallReply } from "./reply-writer.ts";
import { callersConversations } from "./stored-responses.ts";
import { translatedSender } from "./translated-transport.ts";

/** By base URL: the configuration's are few. */
const hosts = new Map<string, string>();

function hostOf(baseUrl: string): string {
  const known = hosts.get(baseUrl);
  if (known !== undefined) return known;
  const host = new URL(baseUrl).hostname;
  hosts.set(baseUrl, host);
  return host;
}

/**
 * The lane for unlike dialects: hands the call to the translator with a way to send and a way to answer. `goOn` takes over
 * where the first place and those like it cannot serve, and there are others.
 */
export async function translate(
  call: Call,
  called: CalledOperation,
  places: Places,
  body: Buffer,
  goOn: GoOn,
): Promise<void> {
  const { upstream } = call;
  if (!upstream || upstream.dialect === "any") throw new AppError("internal", "echo is not translated to");
  const reply = new CallReply(call);
  let left: Places | undefined;
  try {
    const outcome = await translateCall({
      client: {
        dialect: call.dialect,
        operation: called.operation,
        model: call.model ?? "",
        stream: call.stream,
        array: called.array,
        contentType: call.request.headers["content-type"] ?? "application/json",
      },
      body,
      target: {
        upstream: upstream.name,
        dialect: upstream.dialect,
        host: hostOf(upstream.baseUrl),
        model: places[0].model,
        capabilities: upstream.capabilities,
      },
      strict: call.runtime.config.strictTranslation,
      requestId: call.id,
      send: translatedSender(call, places, reply),
      reply,
      redact: call.runtime.redact,
      conversations: callersConversations(call),
    });
    call.usage =
      outcome.clientGone && reply.started ? partialUsage(outcome.usage, body, reply.written) : outcome.usage;
    call.losses = outcome.losses;
    call.fault = outcome.fault === undefined ? undefined : call.runtime.redact(outcome.fault);
    if (outcome.clientGone) throw clientGone();
    if (outcome.fault !== undefined) call.errorCode = "upstream_error";
    if (outcome.fault !== undefined && reply.started && outcome.usage !== undefined)
      call.usage = { ...outcome.usage, partial: true };
    if (!reply.left) return;
    call.errorCode ??= "client_gone";
    call.fault ??= "the client left";
  } catch (error) {
    if (!(error instanceof OtherLane)) throw error;
    call.firstByteAt = 0;
    left = error.places;
  } finally {
    reply.release();
  }
  if (left) await goOn(left);
}
