import { AppError } from "../../../errors.ts";
import { asObject } from "../../exchange/json.ts";
import {
  createError,
  createNotification,
  createResult,
  RPC_ERRORS,
  type RpcId,
  type RpcMessage,
  type RpcNotification,
  type RpcParams,
  type RpcRequest,
  type RpcResponse,
} from "./json-rpc.ts";
import type { LinkRequest, McpLink, ServerFacts, ServerMessage } from "./link.ts";
import {
  type ClientFacts,
  getMeta,
  META,
  STATELESS,
  withClientMeta,
  withoutClientMeta,
} from "./revisions.ts";

/** The pipe to a running program. */
export interface ProgramPipe {
  readonly facts: ServerFacts;
  /** All connections to the program. */
  readonly links: Set<ProgramLink>;
  nextId(): number;
  write(message: RpcMessage): void;
}

interface Pending {
  readonly resolve: (response: RpcResponse) => void;
  readonly reject: (error: AppError) => void;
  readonly onMessage: LinkRequest["onMessage"];
  /** The client's progress token. */
  readonly token: unknown;
}

const MAX_TASK_TOKENS = 1_000;

/** The capability that a client must have to receive a request from the program, by method. */
const NEEDED: Readonly<Record<string, string>> = {
  "sampling/createMessage": "sampling",
  "elicitation/create": "elicitation",
  "roots/list": "roots",
};

/**
 * The connection of one client to a program that all clients share. Ids and progress tokens are replaced, so that they
 * differ between clients.
 */
export class ProgramLink implements McpLink {
  readonly facts: ServerFacts;
  private readonly pending = new Map<number, Pending>();
  /** The program's requests to the client that have no response yet. */
  private readonly asked = new Set<RpcId>();
  private readonly listeners = new Set<(message: ServerMessage) => void>();
  private readonly taskTokens = new Map<number, unknown>();
  private readonly subscribed = new Set<string>();
  private ended: (() => void) | undefined;

  constructor(
    private readonly pipe: ProgramPipe,
    private readonly client: ClientFacts,
  ) {
    this.facts = pipe.facts;
    pipe.links.add(this);
  }

  request({ method, params, signal, onMessage }: LinkRequest): Promise<RpcResponse> {
    const { pipe } = this;
    if (!pipe.links.has(this))
      return Promise.reject(new AppError("upstream_unreachable", "The MCP server has ended"));
    if (method === "resources/subscribe") this.subscribed.add(String(params?.["uri"]));
    if (method === "resources/unsubscribe" && this.isSharedResource(String(params?.["uri"])))
      return Promise.resolve(createResult(0, {}));
    const id = pipe.nextId();
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.pending.delete(id);
        pipe.write(createNotification("notifications/cancelled", { requestId: id }));
        this.endRequests();
        reject(signal.reason);
      };
      const settle = () => void signal.removeEventListener("abort", abort);
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      signal.addEventListener("abort", abort, { once: true });
      this.pending.set(id, {
        resolve(response) {
          settle();
          resolve(response);
        },
        reject(error) {
          settle();
          reject(error);
        },
        onMessage,
        token: getMeta(params)["progressToken"],
      });
      pipe.write({ jsonrpc: "2.0", id, method, params: { ...this.toProgram(params, id) } });
    });
  }

  /**
   * Sends the response to a request from the program. Drops notifications, because those of one client would affect all
   * clients of the program.
   */
  async send(message: RpcMessage): Promise<void> {
    if ("method" in message || message.id == null || !this.asked.delete(message.id)) return;
    this.pipe.write(message);
  }

  listen(onMessage: (message: ServerMessage) => void): () => void {
    this.listeners.add(onMessage);
    return () => void this.listeners.delete(onMessage);
  }

  onEnd(listener: () => void): void {
    this.ended = listener;
    if (!this.pipe.links.has(this)) listener();
  }

  /** Does nothing, because a program that was started again has new connections. */
  onReopened(): void {}

  async close(): Promise<void> {
    this.pipe.links.delete(this);
    this.ended = undefined;
    this.end(new AppError("upstream_cut", "The connection was closed"));
  }

  /**
   * Forwards a request from the program to this client. Returns false if the client has no running call or does not
   * support the request.
   */
  takeRequest(message: RpcRequest): boolean {
    const pending = [...this.pending.values()].at(-1);
    const needed = NEEDED[message.method];
    const isServed = needed !== undefined && this.client.capabilities[needed] !== undefined;
    if (pending === undefined || !isServed) return false;
    this.asked.add(message.id);
    pending.onMessage(message);
    return true;
  }

  /** Rejects the program's requests to this client once the client has no running call and can no longer respond. */
  private endRequests(): void {
    if (this.pending.size > 0) return;
    for (const id of this.asked)
      this.pipe.write(createError(id, RPC_ERRORS.internal, "The client's call has ended"));
    this.asked.clear();
  }

  /** Handles a response from the program. Returns false if the response belongs to another client. */
  takeResponse(response: RpcResponse): boolean {
    const id = Number(response.id);
    const pending = this.pending.get(id);
    this.pending.delete(id);
    if (pending?.token !== undefined && asObject(response.result)["task"] !== undefined)
      this.keepToken(id, pending.token);
    pending?.resolve(response);
    if (pending !== undefined) this.endRequests();
    return pending !== undefined;
  }

  /**
   * Handles the progress of a request or of a task that a request created. Returns false if the progress belongs to
   * another client.
   */
  takeProgress({ method, params }: RpcNotification): boolean {
    const id = Number(params?.["progressToken"]);
    const pending = this.pending.get(id);
    const token = pending?.token ?? this.taskTokens.get(id);
    if (token === undefined) return pending !== undefined;
    const message = createNotification(method, { ...params, progressToken: token });
    if (pending !== undefined) pending.onMessage(message);
    else for (const listener of this.listeners) listener(message);
    return true;
  }

  /** Stores the progress token of a request that created a task, because the task's progress has this token. */
  private keepToken(id: number, token: unknown): void {
    this.taskTokens.set(id, token);
    const [oldest] = this.taskTokens.keys();
    if (this.taskTokens.size > MAX_TASK_TOKENS && oldest !== undefined) this.taskTokens.delete(oldest);
  }

  /** Handles a notification other than progress. `isOnlyRequest`: the only request that runs is this client's. */
  takeNotification(message: RpcNotification, isOnlyRequest: boolean): void {
    const [pending] = this.pending.values();
    if (message.method === "notifications/message" && isOnlyRequest && pending !== undefined) {
      pending.onMessage(message);
      return;
    }
    if (message.method === "notifications/cancelled") {
      if (this.asked.delete(message.params?.["requestId"] as RpcId)) pending?.onMessage(message);
      return;
    }
    const uri = message.params?.["uri"];
    if (message.method === "notifications/resources/updated" && !this.follows(String(uri))) return;
    for (const listener of this.listeners) listener(message);
  }

  get requests(): number {
    return this.pending.size;
  }

  /** Ends the connection and rejects its requests with this error. */
  end(error: AppError): void {
    for (const { reject } of this.pending.values()) reject(error);
    this.pending.clear();
    this.endRequests();
    this.listeners.clear();
    this.ended?.();
  }

  /** Removes this client's subscription. Returns whether other clients have subscribed to the resource. */
  private isSharedResource(uri: string): boolean {
    this.subscribed.delete(uri);
    return [...this.pipe.links].some((link) => link.subscribed.has(uri));
  }

  /** Returns whether the client has subscribed to this URI or to a prefix of it. */
  private follows(uri: string): boolean {
    return [...this.subscribed].some((known) => uri.startsWith(known));
  }

  private toProgram(params: RpcParams | undefined, id: number): RpcParams {
    const { isStateless } = this.facts;
    const isWhole = getMeta(params)[META.version] === STATELESS;
    const own = isStateless
      ? isWhole
        ? params
        : withClientMeta(params, this.client)
      : withoutClientMeta(params);
    const meta = asObject(own?.["_meta"]);
    if (meta["progressToken"] === undefined) return own ?? {};
    return { ...own, _meta: { ...meta, progressToken: id } };
  }
}
