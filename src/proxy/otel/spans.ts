import { type Attributes, type Span, SpanStatusCode } from "@opentelemetry/api";
import { parseBaseUrl } from "../upstream/clients.ts";
import { ATTRIBUTES } from "./names.ts";

/** Formats `traceparent` for a request of a span (https://www.w3.org/TR/trace-context/#traceparent-header). */
export function formatTraceparent(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/**
 * Marks a span as failed if there is an error code. The error's message is left out, because a vendor can repeat the
 * client's text in it.
 */
export function fail(span: Span, errorCode: string | undefined): void {
  if (errorCode === undefined) return;
  span.setAttribute(ATTRIBUTES.errorType, errorCode).setStatus({ code: SpanStatusCode.ERROR });
}

/** Returns the attributes for the host and port of a base URL. */
export function serverAttributes(baseUrl: string): Attributes {
  const { origin, hostname } = parseBaseUrl(baseUrl);
  const { port, protocol } = new URL(origin);
  return {
    [ATTRIBUTES.serverAddress]: hostname,
    [ATTRIBUTES.serverPort]: Number(port) || (protocol === "https:" ? 443 : 80),
  };
}

/** Returns the attributes whose value is not undefined. */
export function withoutUndefined(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
