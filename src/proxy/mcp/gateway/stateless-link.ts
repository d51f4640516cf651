import { AppError } from "../../../errors.ts";
import { asObject } from "../../exchange/json.ts";
import { TARGETS } from "./check-stateless.ts";
import {
  type Exchanged,
  invalid,
  JSON_AND_EVENTS,
  readExchange,
  type SendHttp,
  statusError,
} from "./http-exchange.ts";
import {
  createNotification,
  createRequest,
  type RpcMessage,
  type RpcParams,
  type RpcResponse,
} from "./json-rpc.ts";
import {
  type Followed,
  type LinkRequest,
  type McpLink,
  readServerFacts,
  type ServerFacts,
  type ServerMessage,
} from "./link.ts";
import { LIST_CHANGED } from "./names.ts";
import { type ClientFacts, encodeHeader, getMeta, META, STATELESS, withClientMeta } from "./revisions.ts";
import { TASKS_EXTENSION } from "./tasks.ts";
import { type Repeat, repeatTask } from "./wait.ts";

/** A connection to a server that accepts requests without a session (revision 2026-07-28). */
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

  /** Does nothing, because servers without sessions accept no notifications and send no requests. */
  async send(_message: RpcMessage): Promise<void> {}

  listen(onMessage: (message: ServerMessage) => void, followed: () => Followed): () => void {
    const stopping = new AbortController();
    const signal = AbortSignal.any([stopping.signal, this.closing.signal]);
    let isOpen = false;
    const receive = (message: ServerMessage) => {
      if (message.method !== "notifications/subscriptions/acknowledged") onMessage(message);
      // The lists may have changed while no stream was open.
      else if (isOpen) for (const method of LIST_CHANGED) onMessage(createNotification(method));
      else isOpen = true;
    };
    void repeatTask(() => this.readChanges(receive, followed(), signal), signal);
    return () => stopping.abort();
  }

  onEnd(): void {}

  onReopened(): void {}

  async close(): Promise<void> {
    this.closing.abort();
  }

  private async post(
    { method, params, onMessage, headers = [], traceparent }: LinkRequest,
    signal: AbortSignal,
  ): Promise<Exchanged> {
    this.serial += 1;
    const id = this.serial;
    // A client of this revision has already set its capabilities.
    const whole = getMeta(params)[META.version] === STATELESS ? params : withClientMeta(params, this.client);
    const name = params?.[TARGETS[method] ?? ""];
    const received = await this.http({
      method: "POST",
      headers: [
        ["content-type", "application/json"],
        ["accept", JSON_AND_EVENTS],
        ["mcp-protocol-version", STATELESS],
        ["mcp-method", method],
        ...(typeof name === "string" ? [["mcp-name", encodeHeader(name)] as const] : []),
        ...(traceparent ? [["traceparent", traceparent] as const] : []),
        ...headers,
      ],
      body: JSON.stringify(createRequest(id, method, whole)),
      signal,
    });
    return readExchange(this.server, received, id, { onMessage });
  }

  /** Reads a stream of change notifications until it ends. */
  private async readChanges(
    onMessage: (message: ServerMessage) => void,
    { resources, tasks }: Followed,
    signal: AbortSignal,
  ): Promise<Repeat> {
    const lists = ["toolsListChanged", "promptsListChanged", "resourcesListChanged"];
    const notifications: RpcParams = {
      ...Object.fromEntries(lists.map((name) => [name, true])),
      ...(resources.length > 0 && { resourceSubscriptions: resources }),
      ...(tasks.length > 0 && { taskIds: tasks }),
    };
    const params = withClientMeta({ notifications }, tasks.length > 0 ? withTasks(this.client) : this.client);
    let hasBegun = false;
    const begun = (message: ServerMessage) => {
      hasBegun = true;
      onMessage(message);
    };
    const request = { method: "subscriptions/listen", params, signal, onMessage: begun };
    const { status } = await this.post(request, signal).catch((error: unknown) => {
      if (hasBegun && error instanceof AppError) return { status: 200 };
      throw error;
    });
    // The server does not send change notifications.
    if (status >= 400 && status < 500) return "never";
    return status < 400 ? "soon" : "later";
  }
}

/** Adds the extension for tasks to a client's capabilities, because servers report tasks only to clients with it. */
function withTasks(client: ClientFacts): ClientFacts {
  const extensions = { ...asObject(client.capabilities["extensions"]), [TASKS_EXTENSION]: {} };
  return { ...client, capabilities: { ...client.capabilities, extensions } };
}
