import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { AppError } from "../../errors.ts";
import { createModelFinder, type ModelRange } from "./model-finder.ts";
import { tooLarge } from "./read-body.ts";

/** A multipart body on its way: how far it was read for its model, and the rest still to come. */
export interface StreamedForm {
  /** The `model` field, if there is one. */
  readonly model: string | undefined;
  /** The body from its beginning, with another model name if one is given; readable once. */
  readonly body: (model: string | undefined) => {
    readonly stream: Readable;
    readonly length: number | undefined;
  };
}

/**
 * Reads a form as far as its model: no further than its first bytes where clients put fields before files, whole where
 * they do not. `hold` is told of every byte that is kept meanwhile. More than `limit` bytes in all break the upload off.
 */
export async function peekForm(
  request: IncomingMessage,
  limit: number,
  hold: (bytes: number) => void,
): Promise<StreamedForm> {
  const announced = request.headers["content-length"];
  if (Number(announced ?? 0) > limit) throw tooLarge(limit);
  const rest = request[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const chunks: Buffer[] = [];
  const find = createModelFinder(request.headers["content-type"] ?? "");
  let found: ModelRange | undefined;
  for (let size = 0; find && !found; ) {
    const next = await rest.next().catch(gone);
    if (next.done) break;
    size += next.value.length;
    if (size > limit) throw tooLarge(limit);
    hold(next.value.length);
    chunks.push(next.value);
    found = find(next.value);
  }
  const peeked = Buffer.concat(chunks);
  return {
    model: found && peeked.toString("utf8", found.start, found.end),
    body: (model) => {
      const begin =
        model !== undefined && found
          ? Buffer.concat([peeked.subarray(0, found.start), Buffer.from(model), peeked.subarray(found.end)])
          : peeked;
      const length = announced === undefined ? undefined : Number(announced) + begin.length - peeked.length;
      return { stream: Readable.from(limited(begin, rest, limit), { objectMode: false }), length };
    },
  };
}

/** A client that breaks its upload off. */
function gone(error: unknown): never {
  throw new AppError("client_gone", "The client left while it was sending", { cause: error });
}

async function* limited(begin: Buffer, rest: AsyncIterator<Buffer>, limit: number): AsyncGenerator<Buffer> {
  let size = begin.length;
  if (size > 0) yield begin;
  for (;;) {
    const next = await rest.next();
    if (next.done) return;
    size += next.value.length;
    if (size > limit) throw tooLarge(limit);
    yield next.value;
  }
}
