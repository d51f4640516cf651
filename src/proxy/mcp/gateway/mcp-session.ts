import { AppError } from "../../../errors.ts";
import type { GatewayServer } from "./access.ts";
import { ClientStream, type Emit } from "./client-stream.ts";
import {
  createError,
  createNotification,
  createRequest,
  createResult,
  isRequest,
  objectIn,
  RPC_ERRORS,
  type RpcId,
  type RpcParams,
  type RpcResponse,
} from "./json-rpc.ts";
import type { LinkRequest, McpLink, ServerMessage } from "./link.ts";
import { type ListMethod, prefixResult, prefixUri } from "./names.ts";
import { type ClientFacts, META, paramHeaders, STATELESS } from "./revisions.ts";
import { type Listed, type ListHost, ServerLists } from "./server-lists.ts";
import { untilAborted } from "./wait.ts";

/** The parts that all sessions share. */
export interface SessionHost extends ListHost {
  open(server: GatewayServer, client: ClientFacts, signal: AbortSignal): Promise<McpLink>;
}

/** A client's request to one server. */
export interface RoutedRequest extends Omit<LinkRequest, "onMessage"> {
  readonly server: GatewayServer;
  /** Receives messages that precede the response, with the gateway's names. */
  readonly emit: Emit;
}

interface Opened {
  readonly config: GatewayServer["config"];
  readonly link: Promise<McpLink>;
}

/** A server's request to the client that has no response yet. */
interface Question {
  readonly respond: (response: RpcResponse) => void;
}

/** Time limit for opening a connection to a server: programs may have to be installed first. */
const OPEN_MS = 60_000;
/** Rounds of input that a server may request from the client during one request. */
const MAX_INPUTS = 16;

/** The connections of one client, or of all clients of a key that have no session, to the servers of the gateway. */
export class McpSession {
  lastUsed = performance.now();
  /** Requests of the client that are being served, so that it can cancel them. */
  readonly inFlight = new Map<RpcId, AbortController>();
  logLevel: unknown;
  private readonly links = new Map<string, Opened>();
  private readonly lists: ServerLists;
  private readonly questions = new Map<RpcId, Question>();
  private readonly subscribed = new Map<string, Set<string>>();
  private readonly streams = new Set<ClientStream>();
  private readonly closing = new AbortController();
  private serial = 0;

  constructor(
    readonly client: ClientFacts,
    private readonly host: SessionHost,
  ) {
    this.lists = new ServerLists({
      host,
      link: (server) => this.link(server),
      closing: this.closing.signal,
      onChanged: (message) => {
        for (const { emit } of this.streams) emit(message);
      },
    });
  }

  get isIdle(): boolean {
    return this.inFlight.size === 0 && this.streams.size === 0;
  }

  /** Returns the connection to a server, which is opened if needed. */
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
        opened.onEnd(drop);
        this.onOpened(server, opened);
      },
      // The next request opens another one.
      drop,
    );
    return link;
  }

  /** Lists the items of all servers. A server that fails or is slow is left out. */
  list(servers: readonly GatewayServer[], method: ListMethod): Promise<Listed> {
    return this.lists.list(servers, method);
  }

  /** Sends a request to its server. Resolves with its response in the gateway's names. */
  async request({ server, emit, ...request }: RoutedRequest): Promise<RpcResponse> {
    const link = await untilAborted(this.link(server), request.signal);
    const onMessage = (message: ServerMessage) => this.fromServer(server, link, message, emit);
    const headers = request.headers ?? (await this.paramHeaders(server, link, request));
    let response = await link.request({ ...request, headers, onMessage });
    for (let count = 0; count < MAX_INPUTS && this.needsInput(response); count += 1) {
      const params = await this.collectInput(request.params, objectIn(response.result), emit, request.signal);
      response = await link.request({ ...request, params, headers, onMessage });
    }
    const { result } = response;
    return result === undefined
      ? response
      : { ...response, result: { ...prefixResult(request.method, result, server.prefix) } };
  }

  /** Passes a client's response on to the server that has asked. */
  respond(response: RpcResponse): void {
    if (response.id == null) return;
    const question = this.questions.get(response.id);
    this.questions.delete(response.id);
    question?.respond(response);
  }

  /** Sends a notification to every open server. */
  async notify(method: string, params: RpcParams | undefined): Promise<void> {
    const links = await Promise.allSettled([...this.links.values()].map(({ link }) => link));
    const open = links.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    await Promise.allSettled(open.map((link) => link.send(createNotification(method, params))));
  }

  /** Sets the log level of the open servers, and of those that are opened later. */
  async setLogLevel(level: unknown): Promise<void> {
    this.logLevel = level;
    const links = await Promise.allSettled([...this.links.values()].map(({ link }) => link));
    const open = links.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    await Promise.allSettled(open.map((link) => this.sendLogLevel(link)));
  }

  /** Subscribes to a resource, or unsubscribes from it. `uri` has no prefix. */
  async subscribe(request: RoutedRequest, uri: string, isOn: boolean): Promise<RpcResponse> {
    const { server } = request;
    const uris = this.subscribed.get(server.name) ?? new Set();
    this.subscribed.set(server.name, uris);
    if (isOn) uris.add(uri);
    else uris.delete(uri);
    const link = await this.link(server);
    if (!link.facts.isStateless) return this.request(request);
    for (const stream of this.streams) stream.listenAgain(server);
    return createResult(0, {});
  }

  /**
   * Sends messages that belong to no request to a client's stream, until the returned function is called. `resources`: the
   * URIs of each server that the stream follows; by default, those that the session has subscribed to.
   */
  open(
    servers: readonly GatewayServer[],
    emit: Emit,
    resources: (server: GatewayServer) => readonly string[] = ({ name }) => [
      ...(this.subscribed.get(name) ?? []),
    ],
  ): () => void {
    const stream: ClientStream = new ClientStream(emit, (server, link) =>
      link.listen(
        (message) => this.fromServer(server, link, message, emit),
        () => resources(server),
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

  /** Closes all connections. */
  async close(): Promise<void> {
    this.closing.abort();
    for (const controller of this.inFlight.values()) controller.abort();
    for (const stream of this.streams) stream.end();
    this.streams.clear();
    await Promise.allSettled([...this.links.keys()].map((name) => this.forget(name)));
  }

  private async forget(name: string): Promise<void> {
    const opened = this.links.get(name);
    this.links.delete(name);
    const link = await opened?.link.catch(() => undefined);
    await link?.close().catch(() => {});
  }

  private onOpened(server: GatewayServer, link: McpLink): void {
    if (this.logLevel !== undefined) void this.sendLogLevel(link);
    for (const stream of this.streams) stream.listen(server, link);
  }

  private async sendLogLevel(link: McpLink): Promise<void> {
    if (link.facts.isStateless || link.facts.capabilities["logging"] === undefined) return;
    const params = { level: this.logLevel };
    const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(OPEN_MS)]);
    await link.request({ method: "logging/setLevel", params, signal, onMessage: () => {} }).catch(() => {});
  }

  /** Returns the headers that mirror arguments of a tool call, which servers without sessions may require. */
  private async paramHeaders(
    server: GatewayServer,
    link: McpLink,
    { method, params }: Pick<LinkRequest, "method" | "params">,
  ): Promise<LinkRequest["headers"]> {
    if (method !== "tools/call" || !link.facts.isStateless) return undefined;
    const tools = await this.lists.latest(server, "tools/list");
    const tool = tools.find(({ name }) => name === params?.["name"]);
    return paramHeaders(tool?.["inputSchema"], params?.["arguments"]);
  }

  private fromServer(server: GatewayServer, link: McpLink, message: ServerMessage, emit: Emit): void {
    if (isRequest(message)) {
      const reply = (response: RpcResponse) =>
        void link.send({ ...response, id: message.id }).catch(() => {});
      if (message.method === "ping") reply(createResult(message.id, {}));
      else if (this.client.version === STATELESS)
        reply(createError(message.id, RPC_ERRORS.methodNotFound, "The client does not accept requests"));
      else this.ask(message.method, message.params, emit, reply);
    } else if (message.method === "notifications/resources/updated")
      emit(createNotification(message.method, prefixUri(message.params ?? {}, server.prefix)));
    else if (message.method !== "notifications/subscriptions/acknowledged")
      emit(withoutSubscription(message));
  }

  /** Sends a server's request to the client under an id of the gateway. */
  private ask(method: string, params: RpcParams | undefined, emit: Emit, respond: Question["respond"]): void {
    this.serial += 1;
    const id = `sallyport-${this.serial}`;
    this.questions.set(id, { respond });
    emit(createRequest(id, method, params));
  }

  /** Returns whether a server without sessions asks a client that has one for input. */
  private needsInput({ result }: RpcResponse): boolean {
    return this.client.version !== STATELESS && result?.["resultType"] === "input_required";
  }

  /** Asks the client for the input that a server needs. Returns the params of the repeated request. */
  private async collectInput(
    params: RpcParams | undefined,
    { inputRequests, requestState }: RpcParams,
    emit: Emit,
    signal: AbortSignal,
  ): Promise<RpcParams> {
    const responses = await Promise.all(
      Object.entries(objectIn(inputRequests)).map(async ([key, value]) => {
        const { method, params: asked } = objectIn(value);
        const received = new Promise<RpcResponse>((resolve) =>
          this.ask(String(method), objectIn(asked), emit, resolve),
        );
        const { result, error } = await untilAborted(received, signal);
        if (error !== undefined)
          throw new AppError("upstream_error", `The client rejected the server's request: ${error.message}`);
        return [key, result ?? {}] as const;
      }),
    );
    return {
      ...params,
      inputResponses: Object.fromEntries(responses),
      ...(requestState !== undefined && { requestState }),
    };
  }
}

/** Removes the id of the gateway's own subscription. */
function withoutSubscription(message: ServerMessage): ServerMessage {
  const meta = objectIn(message.params?.["_meta"]);
  if (meta[META.subscription] === undefined) return message;
  const { [META.subscription]: _, ...others } = meta;
  const { _meta, ...params } = message.params ?? {};
  const kept = Object.keys(others).length > 0 ? { ...params, _meta: others } : params;
  return createNotification(message.method, kept);
}

/** Compares by content: a reload creates every configuration again. */
function isSameServer(one: GatewayServer["config"], other: GatewayServer["config"]): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
