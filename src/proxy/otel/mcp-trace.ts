import { type Attributes, type Context, type Span, SpanKind, type Tracer, trace } from "@opentelemetry/api";
import type { CallRecord } from "../observability/request-log.ts";
import type { McpTrace, TracedServer } from "../observability/telemetry.ts";
import { ATTRIBUTES } from "./names.ts";
import { fail, formatTraceparent, serverAttributes, withoutUndefined } from "./spans.ts";

/**
 * The two spans of a call to an MCP server, one for the client's request and one for the request to the server, as
 * OpenTelemetry's conventions define them (https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/). They do not
 * contain the content of messages.
 */
export class OpenMcpTrace implements McpTrace {
  private readonly received: Span;
  private readonly sent: Span;

  constructor(tracer: Tracer, parent: Context, { name, baseUrl }: TracedServer) {
    this.received = tracer.startSpan("mcp", { kind: SpanKind.SERVER }, parent);
    const address = baseUrl === undefined ? {} : serverAttributes(baseUrl);
    const attributes = withoutUndefined({ [ATTRIBUTES.upstream]: name, ...address });
    const context = trace.setSpan(parent, this.received);
    this.sent = tracer.startSpan("mcp", { kind: SpanKind.CLIENT, attributes }, context);
  }

  traceparent(): string {
    return formatTraceparent(this.sent);
  }

  end(record: CallRecord, endedAt: number): void {
    const { method, mcpMethod, mcpTool, errorCode, status } = record;
    // Only names for which the conventions define an attribute are reported. The URI of a resource can be private.
    const target = TARGETS[mcpMethod ?? ""];
    const named = target === undefined ? undefined : mcpTool;
    const shared: Attributes = withoutUndefined({
      [ATTRIBUTES.mcpMethod]: mcpMethod,
      ...(target !== undefined && { [target]: named }),
      ...(mcpMethod === "tools/call" && { [ATTRIBUTES.operation]: "execute_tool" }),
      [ATTRIBUTES.status]: status,
    });
    const name = [mcpMethod ?? method, named].filter(Boolean).join(" ");
    for (const span of [this.sent, this.received]) {
      span.updateName(name).setAttributes(shared);
      fail(span, errorCode);
    }
    this.received.setAttributes(
      withoutUndefined({
        [ATTRIBUTES.route]: record.route,
        [ATTRIBUTES.callId]: record.id,
        [ATTRIBUTES.key]: record.key,
        [ATTRIBUTES.upstream]: record.upstream,
      }),
    );
    this.sent.end(endedAt);
    this.received.end(endedAt);
  }
}

/** The attribute for the name of the requested tool or prompt, by method. */
const TARGETS: Readonly<Record<string, string>> = {
  "tools/call": ATTRIBUTES.tool,
  "prompts/get": ATTRIBUTES.prompt,
};
