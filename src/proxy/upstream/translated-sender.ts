import type { UpstreamConfig } from "../../config/proxy-config.ts";
import { AppError } from "../../errors.ts";
import { type Call, viaOf } from "../call.ts";
import type { SendUpstream } from "../translate/translate-call.ts";
import { sendTo } from "./clients.ts";
import { mayTryAgain } from "./faults.ts";
import { credentialHeader } from "./request-headers.ts";

const REPEATS = 2;

/** Sends translated requests for a call: our credentials, the configured headers, another try where connecting failed. */
export function translatedSender(call: Call, upstream: UpstreamConfig, signal: AbortSignal): SendUpstream {
  return async (request) => {
    const headers = headersFor(
      call,
      upstream,
      request.contentType ?? "application/json",
      request.headers ?? {},
    );
    for (let attempt = 0; ; attempt += 1) {
      try {
        const reply = await sendTo(call.services.pools, upstream, {
          method: request.method,
          path: request.path,
          headers,
          body: request.method === "GET" ? null : request.body,
          signal,
        });
        if (call.firstByteAt === 0) call.firstByteAt = performance.now();
        if (reply.status >= 300 && reply.status < 400)
          throw new AppError(
            "upstream_invalid",
            `The upstream ${upstream.name} wants to redirect, which is not followed`,
          );
        return { status: reply.status, headers: plainHeaders(reply.headers), body: reply.body };
      } catch (error) {
        if (attempt >= REPEATS || signal.aborted || !(error instanceof Error) || !mayTryAgain(error))
          throw error;
        call.retries += 1;
      }
    }
  };
}

function headersFor(
  call: Call,
  upstream: UpstreamConfig,
  contentType: string,
  extra: Readonly<Record<string, string>>,
): string[] {
  const [key] = upstream.keys;
  const headers = [
    "content-type",
    contentType,
    "accept-encoding",
    "identity",
    "x-sallyport-via",
    viaOf(call),
  ];
  headers.push("accept", call.stream ? "text/event-stream" : "application/json");
  if (upstream.dialect === "messages" && !("anthropic-version" in upstream.headers))
    headers.push("anthropic-version", "2023-06-01");
  if (key !== undefined) headers.push(...credentialHeader(upstream, key));
  for (const [name, value] of Object.entries({ ...extra, ...upstream.headers })) headers.push(name, value);
  return headers;
}

function plainHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
}
