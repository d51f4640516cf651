import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "../../../errors.ts";
import { asObject } from "../../exchange/json.ts";
import { type GatewayServer, isSameServer } from "./access.ts";
import { checkParamHeaders } from "./check-stateless.ts";
import { ClientStream, type Emit, withoutSubscription } from "./client-stream.ts";
import {
  createError,
  createNotification,
  createResult,
  isRequest,
  RPC_ERRORS,
  type RpcId,
  type RpcParams,
  type RpcResponse,
} from "./json-rpc.ts";
import type { Followed, LinkRequest, McpLink, ServerMessage } from "./link.ts";
import { LIST_CHANGED, type ListMethod, prefixMessage, prefixResult, unprefixMeta } from "./names.ts";
import { Questions } from "./questions.ts";
import { type ClientFacts, getParamHeaders, STATELESS } from "./revisions.ts";
import { type Listed, type ListHost, ServerLists } from "./server-lists.ts";
import { type EventMemory, StreamRecords } from "./stream-record.ts";
import { repeatTask, settledWithin, untilAborted } from "./wait.ts";

/** The parts that all sessions share. */
export interface SessionHost extends ListHost {
  open(server: GatewayServer, client: ClientFacts, signal: AbortSignal): Promise<McpLink>;
  /** The recorded events of all sessions. */
  readonly events: EventMemory;
  /** Returns whether the current configuration contains this server unchanged. */
  isConfigured(server: GatewayServer): boolean;
}

/** A client's request to one server. */
export interface RoutedRequest extends Omit<LinkRequest, "onMessage"> {
  readonly server: GatewayServer;
  /** Receives messages that precede the response, with the gateway's names. */
  readonly emit: Emit;
  /** Receives the result with the server's own names. */
  readonly onResult: (result: RpcParams | undefined) => void;
  /** The client's HTTP headers, if they mirror arguments. */
  readonly clientHeaders?: IncomingHttpHeaders | undefined;
}

interface Opened {
  readonly config: GatewayServer["config"];
  readonly link: Promise<McpLink>;
}

/** Maximum milliseconds for opening a connection to a server, whose program may have to be installed first. */
const OPEN_MS = 60_000;
/** Maximum rounds of input that a server may request from the client during one request. */
const MAX_INPUTS = 16;

/** The connections of one client, or of all clients of a key that have no session, to the servers of the gateway. */
export class McpSession {
  lastUsed = performance.now();
  /** The client's running requests, so that the client can cancel them. They abort with an `AppError`. */
  readonly inFlight = new Map<RpcId, AbortController>();
  logLevel: unknown;
  /** The client's streams, which the client can continue after a lost connection. */
  readonly records: StreamRecords;
  private readonly links = new Map<string, Opened>();
  private readonly lists: ServerLists;
  private readonly questions = new Questions();
  private readonly subscribed = new Map<string, Set<string>>();
  private readonly streams = new Set<ClientStream>();
  private readonly closing = new AbortController();

  constructor(
    readonly client: ClientFacts,
    private readonly host: SessionHost,
  ) {
    this.records = new StreamRecords(host.events);
    this.lists = new ServerLists({
      host,
      link: (server) => this.link(server),
      closing: this.closing.signal,
      onChanged: () => this.reportChanges(),
    });
  }

  /** Reports to the client that the lists of the servers may have changed. */
  reportChanges(): void {
    for (const { emit } of this.streams) for (const method of LIST_CHANGED) emit(createNotification(method));
  }

  get isIdle(): boolean {
    return this.inFlight.size === 0 && this.streams.size === 0;
  }

  /** Returns the connection to a server; opens it if needed. */
  link(server: GatewayServer): Promise<McpLink> {
    const known = this.links.get(server.name);
    if (known !== undefined && isSameServer(known.config, server.config)) return known.link;
    if (known !== undefined) this.forget(server.name);
    const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(OPEN_MS)]);
    const link = this.host.open(server, this.client, signal);
    this.links.set(server.name, { config: server.config, link });
    const drop = () => {
      if (this.links.get(server.name)?.link === link) this.links.delete(server.name);
    };
    link.then(
      (opened) => {
        opened.onEnd(() => {
          drop();
          void this.linkAgain(server);
        });
        opened.onReopened(() => this.restore(server, opened));
        this.restore(server, opened);
        for (const stream of this.streams) stream.listen(server, opened);
      },
      // Discards a failed connection, so that the next request opens a new one.
      drop,
    );
    return link;
  }

  /** Lists the items of all servers, as `ServerLists.list` does. */
  list(servers: readonly GatewayServer[], method: ListMethod): Promise<Listed> {
    return this.lists.list(servers, method);
  }

  /** Sends a request to its server. Resolves with the server's response, with the gateway's names. */
  async request({ server, emit, onResult, clientHeaders, ...request }: RoutedRequest): Promise<RpcResponse> {
    const link = await untilAborted(this.link(server), request.signal);
    const onMessage = (message: ServerMessage) => this.fromServer(server, link, message, emit);
    const headers = request.headers ?? (await this.getParamHeaders(server, link, request, clientHeaders));
    let response = await link.request({ ...request, headers, onMessage });
    for (let count = 0; count < MAX_INPUTS && this.needsInput(response); count += 1) {
      const params = await this.questions.collect(
        request.params,
        asObject(response.result),
        emit,
        request.signal,
      );
      response = await link.request({ ...request, params, headers, onMessage });
    }
    const { result } = response;
    onResult(result);
    return result === undefined
      ? response
      : { ...response, result: { ...prefixResult(request.method, result, server.prefix) } };
  }

  /** Passes a client's response on to the sender of the request: a server, or the gateway. */
  respond(response: RpcResponse): void {
    this.questions.respond(response);
  }

  /** Sends a notification to every connected server with sessions over HTTP. The other connections drop it. */
  async notify(method: string, params: RpcParams | undefined): Promise<void> {
    await this.sendToServers((link) => link.send(createNotification(method, params)));
  }

  /** Sets the log level of all servers with sessions and logging: connected ones, and those connected later. */
  async setLogLevel(level: unknown): Promise<void> {
    this.logLevel = level;
    await this.sendToServers((link) => this.sendLogLevel(link));
  }

  /** Sends a message to every connected server. Waits as long as a list does, because a server may not respond. */
  private async sendToServers(send: (link: McpLink) => Promise<void>): Promise<void> {
    const links = await Promise.all([...this.links.values()].map(({ link }) => settledWithin(link, 0)));
    const open = links.flatMap((each) => (each?.isDone ? [each.value] : []));
    await Promise.all(open.map((link) => settledWithin(send(link), this.host.listMs())));
  }

  /** Subscribes to a resource, or unsubscribes from it. `uri` has no prefix. */
  async subscribe(request: RoutedRequest, uri: string, isOn: boolean): Promise<RpcResponse> {
    const { server } = request;
    const { isStateless } = (await this.link(server)).facts;
    const response = isStateless ? createResult(0, {}) : await this.request(request);
    if (response.error !== undefined) return response;
    const uris = this.subscribed.get(server.name) ?? new Set();
    this.subscribed.set(server.name, uris);
    if (isOn) uris.add(uri);
    else uris.delete(uri);
    if (isStateless) for (const stream of this.streams) stream.listenAgain(server);
    return response;
  }

  /**
   * Sends messages that belong to no request to a client's stream, until the returned function is called. `followed`
   * returns the stream's subscriptions at a server; by default, the resources to which the session has subscribed.
   */
  open(
    servers: readonly GatewayServer[],
    emit: Emit,
    followed: (server: GatewayServer) => Followed = ({ name }) => ({
      resources: [...(this.subscribed.get(name) ?? [])],
      tasks: [],
    }),
  ): () => void {
    const stream: ClientStream = new ClientStream(emit, (server, link) =>
      link.listen(
        (message) => this.fromServer(server, link, message, emit),
        () => followed(server),
      ),
    );
    this.streams.add(stream);
    for (const server of servers)
      this.link(server).then(
        (link) => stream.listen(server, link),
        () => {},
      );
    return () => {
      this.streams.delete(stream);
      stream.end();
    };
  }

  async close(): Promise<void> {
    this.closing.abort();
    for (const controller of this.inFlight.values())
      controller.abort(new AppError("client_gone", "The session ended"));
    for (const stream of this.streams) stream.end();
    this.streams.clear();
    this.records.dropAll();
    await Promise.allSettled([...this.links.keys()].map((name) => this.forget(name)));
  }

  private async forget(name: string): Promise<void> {
    const opened = this.links.get(name);
    this.links.delete(name);
    const link = await opened?.link.catch(() => undefined);
    await link?.close().catch(() => {});
  }

  /** Reopens a connection that has ended, if the client has an open stream. */
  private linkAgain(server: GatewayServer): Promise<void> {
    return repeatTask(async () => {
      if (this.streams.size === 0 || !this.host.isConfigured(server)) return "never";
      const link = await this.link(server).catch(() => undefined);
      if (link === undefined) return "later";
      this.reportChanges();
      return "never";
    }, this.closing.signal);
  }

  /** Repeats the log level and the subscriptions, which a new connection or session does not have. */
  private restore(server: GatewayServer, link: McpLink): void {
    if (this.logLevel !== undefined) void this.sendLogLevel(link);
    const uris = link.facts.isStateless ? [] : [...(this.subscribed.get(server.name) ?? [])];
    for (const uri of uris) void this.ask(link, "resources/subscribe", { uri });
  }

  private async sendLogLevel(link: McpLink): Promise<void> {
    if (link.facts.isStateless || link.facts.capabilities["logging"] === undefined) return;
    await this.ask(link, "logging/setLevel", { level: this.logLevel });
  }

  /** Sends a request that `restore` repeats. Ignores failures. */
  private async ask(link: McpLink, method: string, params: RpcParams): Promise<void> {
    const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(OPEN_MS)]);
    await link.request({ method, params, signal, isRestored: true, onMessage: () => {} }).catch(() => {});
  }

  /** Returns the headers that mirror arguments of a tool call, which servers without sessions may require. */
  private async getParamHeaders(
    server: GatewayServer,
    link: McpLink,
    { method, params }: Pick<LinkRequest, "method" | "params">,
    clientHeaders: IncomingHttpHeaders | undefined,
  ): Promise<LinkRequest["headers"]> {
    if (method !== "tools/call" || !link.facts.isStateless) return undefined;
    const tools = await this.lists.latest(server, "tools/list");
    const tool = tools.find(({ name }) => name === params?.["name"]);
    const schema = tool?.["inputSchema"];
    if (clientHeaders !== undefined) checkParamHeaders(schema, params?.["arguments"], clientHeaders);
    return getParamHeaders(schema, params?.["arguments"]);
  }

  private fromServer(server: GatewayServer, link: McpLink, message: ServerMessage, emit: Emit): void {
    const { method } = message;
    const params = prefixMessage(method, message.params, server.prefix);
    if (isRequest(message)) {
      const { id } = message;
      const respond = ({ result, error }: RpcResponse) => {
        const own = result && { ...unprefixMeta(result, server.prefix) };
        void link
          .send({ jsonrpc: "2.0", id, ...(error ? { error } : { result: own ?? {} }) })
          .catch(() => {});
      };
      if (method === "ping") respond(createResult(id, {}));
      else if (this.client.version === STATELESS)
        respond(createError(id, RPC_ERRORS.methodNotFound, "The client does not accept requests"));
      else this.questions.ask({ method, params, origin: { link, id }, respond }, emit);
    } else if (method === "notifications/cancelled") {
      const requestId = this.questions.cancel(link, params?.["requestId"]);
      if (requestId !== undefined) emit(createNotification(method, { ...params, requestId }));
    } else if (method !== "notifications/subscriptions/acknowledged")
      emit(withoutSubscription(createNotification(method, params)));
  }

  /** Returns whether a server without sessions requests input from a client that has a session. */
  private needsInput({ result }: RpcResponse): boolean {
    return this.client.version !== STATELESS && result?.["resultType"] === "input_required";
  }
}
