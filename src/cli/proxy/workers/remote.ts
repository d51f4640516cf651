import { AppError, type ErrorCode, errorCatalog, getErrorMessage } from "../../../errors.ts";

/** One end of the pipe between two processes of the same program. */
export interface Pipe {
  send(packet: unknown, sent: (error: Error | null) => void): void;
  onPacket(take: (packet: unknown) => void): void;
  onClose(closed: () => void): void;
}

/** Calls functions of the other process. `Far` lists its functions by name, each with at most one parameter. */
export interface Remote<Far> {
  /**
   * Calls one function and resolves to its result. Rejects with the error that the function throws: an
   * `AppError`, or an error with the same message for any other error. Rejects with `ProcessExitedError` if
   * the process ends before it responds.
   */
  call<Name extends keyof Far & string>(name: Name, value: InputOf<Far[Name]>): Promise<OutputOf<Far[Name]>>;
}

type InputOf<Method> = Method extends (value: infer Value) => unknown ? Value : never;
type OutputOf<Method> = Method extends (value: never) => infer Output ? Awaited<Output> : never;

/** Reports that the other process has ended. */
export class ProcessExitedError extends Error {}

type Packet =
  | { readonly call: number; readonly name: string; readonly value: unknown }
  | { readonly resolves: number; readonly value: unknown }
  | { readonly rejects: number; readonly error: SerializedError };

interface SerializedError {
  readonly code: string | undefined;
  readonly message: string;
  readonly hint: string | undefined;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Creates an object that calls functions at the other end of a pipe, and lets the other end call those of `near`. Calls
 * start at the other end in the order in which they were made. `birpc` is not used, because it would need an adapter on
 * each side for the code and hint of an `AppError` (docs/dependencies.md).
 */
export function createRemote<Far>(pipe: Pipe, near: object): Remote<Far> {
  const waiting = new Map<number, Waiting>();
  let serial = 0;
  const send = (packet: Packet) =>
    pipe.send(packet, (error) => {
      if (error && "call" in packet)
        settle(packet.call, ({ reject }) => reject(new ProcessExitedError(error.message)));
    });
  const settle = (call: number, how: (waiting: Waiting) => void) => {
    const found = waiting.get(call);
    waiting.delete(call);
    if (found) how(found);
  };
  const serve = async (name: string, value: unknown): Promise<unknown> =>
    (Reflect.get(near, name) as (value: unknown) => unknown)(value);
  pipe.onPacket((packet) => {
    // Both ends run the same version of the program.
    const known = packet as Packet;
    if ("resolves" in known) settle(known.resolves, ({ resolve }) => resolve(known.value as never));
    else if ("rejects" in known) settle(known.rejects, ({ reject }) => reject(deserializeError(known.error)));
    else
      serve(known.name, known.value).then(
        (value) => send({ resolves: known.call, value }),
        (error: unknown) => send({ rejects: known.call, error: serializeError(error) }),
      );
  });
  pipe.onClose(() => {
    for (const call of [...waiting.keys()])
      settle(call, ({ reject }) => reject(new ProcessExitedError("The other process has ended")));
  });
  return {
    call: (name, value) =>
      new Promise((resolve, reject) => {
        serial += 1;
        waiting.set(serial, { resolve, reject });
        send({ call: serial, name, value });
      }),
  };
}

function serializeError(error: unknown): SerializedError {
  const isOurs = error instanceof AppError;
  const code = isOurs ? error.code : undefined;
  return { code, message: getErrorMessage(error), hint: isOurs ? error.hint : undefined };
}

function deserializeError({ code, message, hint }: SerializedError): Error {
  if (code === undefined || !isErrorCode(code)) return new Error(message);
  return new AppError(code, message, hint === undefined ? {} : { hint });
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCatalog, code);
}
