import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { ProxyServer } from "../../src/proxy/create-proxy.ts";
import { readableLine } from "../../src/proxy/observability/readable-line.ts";
import { type Refusal, refusalLine } from "../../src/proxy/observability/refusals.ts";
import { type CallRecord, recordLine } from "../../src/proxy/observability/request-log.ts";

/** The prefix of all secrets in tests, by which they are recognized: `sk-` and more. */
const SECRET = /\bsk-[\w-]{6,}/;

/** Records everything that a proxy writes, and reports whether it contains a secret. */
export interface CanaryWatch {
  /** Fails if a secret was written. Requests the metrics, so the proxy must still be running. */
  check(): Promise<void>;
}

/**
 * Watches a proxy of a test. Logs in both forms, internal errors with their causes, and metrics must not contain any
 * secret; responses must not contain a secret of the configuration, for any caller and any outcome.
 */
export function watchForCanaries(
  server: ProxyServer,
  output: {
    readonly records: readonly CallRecord[];
    readonly refusals: readonly Refusal[];
    readonly internal: readonly unknown[];
  },
  secrets: readonly string[],
  key: string | undefined,
): CanaryWatch {
  const responses = collectResponses(server.app.server);
  return {
    async check() {
      const headers = { host: "localhost", ...(key === undefined ? {} : { "x-api-key": key }) };
      const metrics = await server.app.inject({ url: "/metrics", headers });
      const written = {
        log: [
          ...output.records.flatMap((record) => [recordLine(record), readableLine(record)]),
          ...output.refusals.map(refusalLine),
        ],
        "internal errors": output.internal.flatMap(causesOf),
        metrics: [metrics.body],
      };
      for (const [where, texts] of Object.entries(written)) {
        const leak = texts.find(
          (text) => SECRET.test(text) || secrets.some((secret) => text.includes(secret)),
        );
        if (leak !== undefined) throw new Error(`A secret in the ${where}: ${leak}`);
      }
      const leak = responses.find((text) => secrets.some((secret) => text.includes(secret)));
      if (leak !== undefined) throw new Error(`A secret in an answer: ${leak.slice(0, 2000)}`);
    },
  };
}

function causesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  return [`${error.stack}`, ...(error.cause === undefined ? [] : causesOf(error.cause))];
}

const MOST = 1024 * 1024;

/** The responses as sent, each with headers and body in one text; only the beginning of long ones. */
function collectResponses(server: Server): string[] {
  const responses: string[] = [];
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    // Responses of an MCP server are relayed unchanged.
    if (request.url?.startsWith("/mcp/")) return;
    response.once("close", () => {
      if (body.length > 0 || response.headersSent) responses.push(`${headOf(response)}\n${body}`);
    });
    let body = "";
    const add = (chunk: unknown) => {
      if (body.length < MOST && (typeof chunk === "string" || chunk instanceof Uint8Array))
        body += Buffer.from(chunk as string).toString("latin1");
    };
    const { write, end } = response;
    response.write = ((...given: Parameters<typeof write>) => {
      add(given[0]);
      return write.apply(response, given);
    }) as typeof write;
    response.end = ((...given: Parameters<typeof end>) => {
      add(given[0]);
      return end.apply(response, given);
    }) as typeof end;
  });
  return responses;
}

/** Node.js keeps the sent headers as text. */
function headOf(response: ServerResponse): string {
  return String((response as unknown as { _header?: unknown })._header ?? "");
}
