import { type Attributes, type Span, SpanStatusCode } from "@opentelemetry/api";
import { parseBaseUrl } from "../upstream/clients.ts";
import { ATTRIBUTES } from "./names.ts";

/** What the spans of model calls and of MCP calls have in common. */

/** Returns `traceparent` for a request that a span covers. https://www.w3.org/TR/trace-context/#traceparent-header */
export function formatTraceparent(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/** Marks a span as failed. The message is left out, because a vendor's error can repeat what a client has written. */
export function fail(span: Span, errorCode: string | undefined): void {
  if (errorCode === undefined) return;
  span.setAttribute(ATTRIBUTES.errorType, errorCode).setStatus({ code: SpanStatusCode.ERROR });
}

/** Returns the host and port of a base URL. */
export function serverAttributes(baseUrl: string): Attributes {
  const { origin, hostname } = parseBaseUrl(baseUrl);
  const { port, protocol } = new URL(origin);
  return {
    [ATTRIBUTES.serverAddress]: hostname,
    [ATTRIBUTES.serverPort]: Number(port) || (protocol === "https:" ? 443 : 80),
  };
}

export function withoutUndefined(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
