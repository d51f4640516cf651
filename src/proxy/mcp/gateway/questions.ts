import { randomBytes } from "node:crypto";
import { AppError } from "../../../errors.ts";
import type { Emit } from "./client-stream.ts";
import { createRequest, objectIn, type RpcId, type RpcParams, type RpcResponse } from "./json-rpc.ts";
import type { McpLink } from "./link.ts";
import { untilAborted } from "./wait.ts";

/** A request of a server to the client. */
interface Question {
  readonly method: string;
  readonly params: RpcParams | undefined;
  /** The server's own id of the request; undefined for the gateway's. */
  readonly origin?: { readonly link: McpLink; readonly id: RpcId } | undefined;
  readonly respond: (response: RpcResponse) => void;
}

/** The requests of servers that the client has not answered. */
export class Questions {
  private readonly open = new Map<RpcId, Question>();
  /** Another worker or replica may ask the same client. */
  private readonly name = randomBytes(6).toString("base64url");
  private serial = 0;

  /** Sends a request to the client, by an id of the gateway's. */
  ask(question: Question, emit: Emit): void {
    this.serial += 1;
    const id = `sallyport-${this.name}-${this.serial}`;
    this.open.set(id, question);
    emit(createRequest(id, question.method, question.params));
  }

  /** Takes the client's response. */
  respond(response: RpcResponse): void {
    if (response.id == null) return;
    const question = this.open.get(response.id);
    this.open.delete(response.id);
    question?.respond(response);
  }

  /** Ends a request that its server has cancelled. Returns the id that the client knows; undefined if there is none. */
  cancel(link: McpLink, requestId: unknown): RpcId | undefined {
    for (const [id, { origin }] of this.open)
      if (origin?.link === link && origin.id === requestId) {
        this.open.delete(id);
        return id;
      }
    return undefined;
  }

  /** Asks the client for the input that a server without sessions needs. Returns the params of the repeated request. */
  async collect(
    params: RpcParams | undefined,
    { inputRequests, requestState }: RpcParams,
    emit: Emit,
    signal: AbortSignal,
  ): Promise<RpcParams> {
    const responses = await Promise.all(
      Object.entries(objectIn(inputRequests)).map(async ([key, value]) => {
        const { method, params: asked } = objectIn(value);
        const received = new Promise<RpcResponse>((respond) =>
          this.ask({ method: String(method), params: objectIn(asked), respond }, emit),
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
