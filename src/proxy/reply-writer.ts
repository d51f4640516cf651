import { type Call, ownHeaders } from "./call.ts";
import type { OpenStream } from "./open-streams.ts";
import type { ReplyWriter } from "./translate/translate-call.ts";

/** The answer of a call as the translator writes it: head, text at the client's speed, keep-alives in silence. */
export function createReplyWriter(call: Call): ReplyWriter & {
  /** Whether the client left before it had its answer. */
  readonly left: boolean;
  /** The call is over: an upstream that still sends is left. */
  release(): void;
} {
  const { response, services } = call;
  const gone = new AbortController();
  let left = false;
  const onClose = () => {
    if (response.writableFinished) return;
    left = true;
    gone.abort();
  };
  response.once("close", onClose);
  let ping = "";
  const silent: OpenStream = {
    lastActivity: performance.now(),
    onStop: () => response.destroy(),
    onSilence: () => {
      if (ping !== "" && response.headersSent && !response.writableEnded) response.write(ping);
    },
  };
  services.streams.add(silent);
  return {
    get started() {
      return response.headersSent;
    },
    signal: gone.signal,
    get left() {
      return left;
    },
    start(status, headers) {
      call.status = status;
      if (call.firstByteAt === 0) call.firstByteAt = performance.now();
      response.writeHead(status, [
        ...ownHeaders(call),
        ...vendorsRequestId(call),
        "x-content-type-options",
        "nosniff",
        ...Object.entries(headers).flat(),
      ]);
    },
    write(text) {
      silent.lastActivity = performance.now();
      if (text.length === 0 || response.write(text) || response.destroyed) return undefined;
      return new Promise((resolve) => {
        const done = () => {
          response.off("drain", done);
          response.off("close", done);
          resolve();
        };
        response.once("drain", done);
        response.once("close", done);
      });
    },
    keepAlive(text) {
      ping = text;
    },
    end() {
      services.streams.delete(silent);
      response.end();
    },
    destroy() {
      services.streams.delete(silent);
      response.destroy();
    },
    release() {
      services.streams.delete(silent);
      if (response.writableEnded) response.off("close", onClose);
      gone.abort();
    },
  };
}

/** The call's id where the SDKs of the client's dialect look for it; generative-language's do not look for any. */
function vendorsRequestId({ dialect, id }: Call): readonly string[] {
  if (dialect === "generative-language") return [];
  return [dialect === "messages" ? "request-id" : "x-request-id", id];
}
