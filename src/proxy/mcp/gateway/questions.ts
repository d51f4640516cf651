import { randomBytes } from "node:crypto";
import { AppError } from "../../../errors.ts";
import { asObject } from "../../exchange/json.ts";
import type { Emit } from "./client-stream.ts";
import { createRequest, type RpcId, type RpcParams, type RpcResponse } from "./json-rpc.ts";
import type { McpLink } from "./link.ts";
import { untilAborted } from "./wait.ts";

/** A request to the client: one that a server sent, or one that the gateway creates for input that a server needs. */
interface Question {
  readonly method: string;
  readonly params: RpcParams | undefined;
  /** The server and the id of its request; undefined if the gateway created the request. */
  readonly origin?: { readonly link: McpLink; readonly id: RpcId } | undefined;
  readonly respond: (response: RpcResponse) => void;
}

/** The requests to one client that have no response yet. */
export class Questions {
  private readonly open = new Map<RpcId, Question>();
  /** Distinguishes the requests of this process from those of other workers and replicas to the same client. */
  private readonly name = randomBytes(6).toString("base64url");
  private serial = 0;

  /** Sends a request to the client with an id that the gateway creates. */
  ask(question: Question, emit: Emit): void {
    this.serial += 1;
    const id = `sallyport-${this.name}-${this.serial}`;
    this.open.set(id, question);
    emit(createRequest(id, question.method, question.params));
  }

  /** Passes the client's response on to the sender of the request: a server, or `collect`. */
  respond(response: RpcResponse): void {
    if (response.id == null) return;
    const question = this.open.get(response.id);
    this.open.delete(response.id);
    question?.respond(response);
  }

  /**
   * Ends a request that its server has canceled. Returns the request's id at the client; undefined if the request has
   * already ended.
   */
  cancel(link: McpLink, requestId: unknown): RpcId | undefined {
    for (const [id, { origin }] of this.open)
      if (origin?.link === link && origin.id === requestId) {
        this.open.delete(id);
        return id;
      }
    return undefined;
  }

  /**
   * Requests from the client the input that a server needs. Resolves with the params with which the call is repeated.
   * Rejects if the client responds with an error or the signal aborts.
   */
  async collect(
    params: RpcParams | undefined,
    { inputRequests, requestState }: RpcParams,
    emit: Emit,
    signal: AbortSignal,
  ): Promise<RpcParams> {
    const responses = await Promise.all(
      Object.entries(asObject(inputRequests)).map(async ([key, value]) => {
        const { method, params: asked } = asObject(value);
        const received = new Promise<RpcResponse>((respond) =>
          this.ask({ method: String(method), params: asObject(asked), respond }, emit),
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
