import {
  type Exchanged,
  invalid,
  JSON_AND_EVENTS,
  readExchange,
  type SendHttp,
  statusError,
} from "./http-exchange.ts";
import { createRequest, type RpcMessage, type RpcParams, type RpcResponse } from "./json-rpc.ts";
import {
  type LinkRequest,
  type McpLink,
  readServerFacts,
  type ServerFacts,
  type ServerMessage,
} from "./link.ts";
import { type ClientFacts, encodeHeader, META, metaOf, STATELESS, withClientMeta } from "./revisions.ts";
import { keepOpen, type StreamEnd } from "./wait.ts";

/** A server that accepts requests without a session (revision 2026-07-28). */
export class StatelessLink implements McpLink {
  facts: ServerFacts = { capabilities: {}, instructions: undefined, isStateless: true };
  private serial = 0;
  private readonly closing = new AbortController();

  private constructor(
    private readonly server: string,
    private readonly http: SendHttp,
    private readonly client: ClientFacts,
  ) {}

  /** Reads the facts of a server. Throws if it does not accept requests without a session. */
  static async open(
    server: string,
    http: SendHttp,
    client: ClientFacts,
    signal: AbortSignal,
  ): Promise<StatelessLink> {
    const link = new StatelessLink(server, http, client);
    const { result } = await link.request({
      method: "server/discover",
      params: undefined,
      signal,
      onMessage: () => {},
    });
    const versions = result?.["supportedVersions"];
    if (!Array.isArray(versions) || !versions.includes(STATELESS))
      throw invalid(server, `does not support revision ${STATELESS} of the protocol`);
    link.facts = readServerFacts(result ?? {}, { isStateless: true });
    return link;
  }

  async request(request: LinkRequest): Promise<RpcResponse> {
    const { response, status } = await this.post(request, request.signal);
    if (response !== undefined) return response;
    if (status >= 400) throw statusError(this.server, status);
    throw invalid(this.server, "ended its response before the result");
  }

  /** Does nothing: such servers accept no notifications and send no requests. */
  async send(_message: RpcMessage): Promise<void> {}

  listen(onMessage: (message: ServerMessage) => void, resources: () => readonly string[]): () => void {
    const stopping = new AbortController();
    const signal = AbortSignal.any([stopping.signal, this.closing.signal]);
    void keepOpen(() => this.readChanges(onMessage, resources(), signal), signal);
    return () => stopping.abort();
  }

  onEnd(): void {}

  async close(): Promise<void> {
    this.closing.abort();
  }

  private async post(
    { method, params, onMessage, headers = [], traceparent }: LinkRequest,
    signal: AbortSignal,
  ): Promise<Exchanged> {
    this.serial += 1;
    const id = this.serial;
    // A client of this revision has set its capabilities.
    const whole = metaOf(params)[META.version] === STATELESS ? params : withClientMeta(params, this.client);
    const name = params?.["name"] ?? params?.["uri"];
    const named = NAMED.has(method) && typeof name === "string";
    const received = await this.http({
      method: "POST",
      headers: [
        ["content-type", "application/json"],
        ["accept", JSON_AND_EVENTS],
        ["mcp-protocol-version", STATELESS],
        ["mcp-method", method],
        ...(named ? [["mcp-name", encodeHeader(name)] as const] : []),
        ...(traceparent ? [["traceparent", traceparent] as const] : []),
        ...headers,
      ],
      body: JSON.stringify(createRequest(id, method, whole)),
      signal,
    });
    return readExchange(this.server, received, id, onMessage);
  }

  /** Reads a stream of change notifications until it ends. */
  private async readChanges(
    onMessage: (message: ServerMessage) => void,
    uris: readonly string[],
    signal: AbortSignal,
  ): Promise<StreamEnd> {
    const lists = ["toolsListChanged", "promptsListChanged", "resourcesListChanged"];
    const notifications: RpcParams = {
      ...Object.fromEntries(lists.map((name) => [name, true])),
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
    };
    const request = { method: "subscriptions/listen", params: { notifications }, signal, onMessage };
    const { status } = await this.post(request, signal);
    // The server has no such notifications.
    if (status >= 400 && status < 500) return "unavailable";
    return status < 400 ? "ended" : "failed";
  }
}

/** Requests whose target is mirrored in a header. */
const NAMED = new Set(["tools/call", "prompts/get", "resources/read"]);
