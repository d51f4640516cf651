import { AppError } from "../errors.ts";
import type { Call } from "./call.ts";
import type { Selection } from "./models/select.ts";
import type { CalledOperation } from "./operation-path.ts";
import { CallReply } from "./reply-writer.ts";
import { callersConversations } from "./stored-responses.ts";
import { translateCall } from "./translate/translate-call.ts";
import { translatedSender } from "./upstream/translated-sender.ts";

/** The lane for unlike dialects: hands the call to the translator with a way to send and a way to answer. */
export async function translate(
  call: Call,
  called: CalledOperation,
  selection: Selection,
  body: Buffer,
): Promise<void> {
  const { upstream } = call;
  if (!upstream || upstream.dialect === "any") throw new AppError("internal", "echo is not translated to");
  const spares = selection.upstreams.filter(({ dialect }) => dialect === upstream.dialect);
  const reply = new CallReply(call);
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
        model: selection.model,
        capabilities: upstream.capabilities,
      },
      strict: call.runtime.config.strictTranslation,
      requestId: call.id,
      send: translatedSender(call, spares, reply),
      reply,
      redact: call.runtime.redact,
      conversations: callersConversations(call),
    });
    call.usage = outcome.usage;
    call.losses = outcome.losses;
    call.fault = outcome.fault === undefined ? undefined : call.runtime.redact(outcome.fault);
    if (reply.left) call.fault ??= "the client left";
  } finally {
    reply.release();
  }
}
