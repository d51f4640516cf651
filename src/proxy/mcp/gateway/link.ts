import { asObject } from "../../exchange/json.ts";
import type { RpcMessage, RpcNotification, RpcParams, RpcRequest, RpcResponse } from "./json-rpc.ts";

/** A message that a server initiates: a notification, or a request to the client. */
export type ServerMessage = RpcRequest | RpcNotification;

export interface LinkRequest {
  readonly method: string;
  readonly params: RpcParams | undefined;
  readonly signal: AbortSignal;
  /** Receives messages that precede the response, such as progress. */
  readonly onMessage: (message: ServerMessage) => void;
  /** Called when a server with sessions over HTTP begins an event stream. */
  readonly onStream?: (() => void) | undefined;
  /** Whether the request is repeated in each new session (`onReopened`), so that it does not open one itself. */
  readonly isRestored?: boolean;
  /** The header by which the server continues the call's trace; undefined if the call has no trace. */
  readonly traceparent?: string | undefined;
  /** Further HTTP headers. */
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined;
}

/** Facts that a server reports about itself. */
export interface ServerFacts {
  readonly capabilities: RpcParams;
  readonly instructions: string | undefined;
  /** Whether the server has no sessions, so that each request contains its revision. */
  readonly isStateless: boolean;
}

/** Reads the result of `initialize` or `server/discover`. */
export function readServerFacts(
  { capabilities, instructions }: RpcParams,
  { isStateless }: Pick<ServerFacts, "isStateless">,
): ServerFacts {
  return {
    capabilities: asObject(capabilities),
    instructions: typeof instructions === "string" ? instructions : undefined,
    isStateless,
  };
}

/** The subscriptions of a client's stream at a server, in the server's own names. */
export interface Followed {
  readonly resources: readonly string[];
  readonly tasks: readonly string[];
}

/** An open connection to one MCP server, on behalf of one client or of the clients of one key. */
export interface McpLink {
  readonly facts: ServerFacts;
  /** Sends a request and resolves with the server's response. Rejects with an `AppError` if there is none. */
  request(request: LinkRequest): Promise<RpcResponse>;
  /** Sends a notification, or the response to a server's request. */
  send(message: RpcMessage): Promise<void>;
  /** Calls `onMessage` for messages that belong to no request, until the returned function is called. */
  listen(onMessage: (message: ServerMessage) => void, followed: () => Followed): () => void;
  /** Calls `listener` once when the program behind the connection has ended; never for a server over HTTP. */
  onEnd(listener: () => void): void;
  /** Calls `listener` each time that a new session with the server replaces one that the server has ended. */
  onReopened(listener: () => void): void;
  close(): Promise<void>;
}
