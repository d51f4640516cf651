import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type Dialect, dialectOf, parseBody, type RequestBody, sendResponse, toolResultsOf } from "./wire.ts";

/** The next output of the model: text, calls, or both. */
export interface Reply {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: object }[];
  /** The number of tokens that the response reports for the conversation. */
  readonly tokens?: number;
  /** The compacted conversation, encrypted as by vendors of the responses dialect, instead of text and calls. */
  readonly compaction?: string;
  /** Rejects the request with this status instead. */
  readonly status?: number;
}

/** A request as the agent sent it to its model. */
export interface ModelRequest {
  readonly dialect: Dialect;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** The body as received. */
  readonly raw: string;
  readonly body: RequestBody;
  /** Whether the model may call tools in this turn. Additional calls, for example for titles, have no tools. */
  readonly hasTools: boolean;
  /** The number of tool results in the conversation, which identifies the turn of the script. */
  readonly toolResults: number;
}

export type Script = (request: ModelRequest) => Reply;

export interface ModelFake {
  readonly url: string;
  /** Requests for a response, in the order of arrival. */
  readonly requests: readonly ModelRequest[];
  close(): Promise<void>;
}

/** A model vendor on loopback that speaks all four dialects and follows a script. */
export async function startModelFake(script: Script): Promise<ModelFake> {
  const requests: ModelRequest[] = [];
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? "/";
    const raw = await textOf(request);
    if (request.headers.upgrade || request.method !== "POST") return otherwise(path, request, response);
    if (/count_tokens|countTokens/.test(path))
      return json(response, 200, { input_tokens: 10, totalTokens: 10 });
    const dialect = dialectOf(path);
    if (!dialect) return json(response, 404, { error: { message: `no route ${path}` } });
    const body = parseBody(raw);
    const seen: ModelRequest = {
      dialect,
      path,
      headers: request.headers,
      raw,
      body,
      hasTools: (body.tools ?? []).length > 0,
      toolResults: toolResultsOf(dialect, body),
    };
    requests.push(seen);
    const reply = script(seen);
    if (reply.status !== undefined) return json(response, reply.status, { error: { message: "no room" } });
    sendResponse(response, seen, reply);
  };
  server.on("upgrade", (_request, socket) => {
    socket.end("HTTP/1.1 426 Upgrade Required\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function otherwise(path: string, request: IncomingMessage, response: ServerResponse): void {
  if (request.method === "HEAD") {
    response.writeHead(200).end();
    return;
  }
  if (/\/models/.test(path)) {
    const data = ["fake-model"].map((id) => ({ id, object: "model", created: 1, owned_by: "fake" }));
    json(response, 200, { object: "list", data, models: [{ name: "models/fake-model" }] });
    return;
  }
  json(response, 404, { error: { message: `no route ${path}` } });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
