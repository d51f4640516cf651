import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { ProxyServer } from "../../src/proxy/create-proxy.ts";
import { readableLine } from "../../src/proxy/observability/readable-line.ts";
import { type Refusal, refusalLine } from "../../src/proxy/observability/refusals.ts";
import { type CallRecord, recordLine } from "../../src/proxy/observability/request-log.ts";

/** How secrets in tests begin, so that any of them is known wherever it turns up: `sk-` and more. */
const SECRET = /\bsk-[\w-]{6,}/;

/** Listens to everything a proxy writes, and tells whether a secret is in it. */
export interface CanaryWatch {
  /** Fails where a secret was written. Asks for the metrics, so the proxy has to be there still. */
  check(): Promise<void>;
}

/**
 * Watches a proxy of a test: logs in both forms, internal errors with their causes, and metrics must hold no secret at
 * all, answers none of the configuration's, whoever asks and however it ends.
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

/** The answers as they leave, head and body in one text each; of long ones the beginning. */
function collectResponses(server: Server): string[] {
  const responses: string[] = [];
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    // What an MCP server says goes through as it is.
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

/** Node keeps the head that was sent as text. */
function headOf(response: ServerResponse): string {
  return String((response as unknown as { _header?: unknown })._header ?? "");
}
