import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { AppError } from "../../errors.ts";

/** A multipart body on its way: how far it was read for its model, and the rest still to come. */
export interface StreamedForm {
  /** The `model` field, if it stands within the first bytes. */
  readonly model: string | undefined;
  /** The body from its beginning, with another model name if one is given; readable once. */
  readonly body: (model: string | undefined) => {
    readonly stream: Readable;
    readonly length: number | undefined;
  };
}

/** How far into an upload the model is looked for; clients put fields before files, and files are large. */
const PEEKED = 64 * 1024;

const MODEL = /content-disposition:[^\r\n]*\bname="?model"?[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n([^\r\n]*)\r\n/i;

/** Reads just enough of a form to find its model. More than `limit` bytes in all break the upload off. */
export async function peekForm(request: IncomingMessage, limit: number): Promise<StreamedForm> {
  const announced = request.headers["content-length"];
  if (Number(announced ?? 0) > limit)
    throw new AppError("too_large", `The body is larger than ${limit} bytes`);
  const rest = request[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let peeked: Buffer = Buffer.alloc(0);
  let found: RegExpExecArray | null = null;
  for (let ended = false; !ended && !found && peeked.length < PEEKED; ) {
    const next = await rest.next();
    ended = next.done === true;
    if (!ended) peeked = Buffer.concat([peeked, next.value]);
    found = MODEL.exec(peeked.toString("latin1"));
  }
  const value = found?.[1];
  const start = found && value !== undefined ? found.index + found[0].length - 2 - value.length : 0;
  return {
    model: value === undefined ? undefined : Buffer.from(value, "latin1").toString("utf8"),
    body: (model) => {
      const renamed = model !== undefined && value !== undefined;
      const name = renamed ? Buffer.from(model) : Buffer.alloc(0);
      const begin = renamed
        ? Buffer.concat([peeked.subarray(0, start), name, peeked.subarray(start + value.length)])
        : peeked;
      const length = announced === undefined ? undefined : Number(announced) + begin.length - peeked.length;
      return { stream: Readable.from(limited(begin, rest, limit), { objectMode: false }), length };
    },
  };
}

async function* limited(begin: Buffer, rest: AsyncIterator<Buffer>, limit: number): AsyncGenerator<Buffer> {
  let size = begin.length;
  if (size > 0) yield begin;
  for (;;) {
    const next = await rest.next();
    if (next.done) return;
    size += next.value.length;
    if (size > limit) throw new AppError("too_large", `The body is larger than ${limit} bytes`);
    yield next.value;
  }
}
