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

const DISPOSITION = /^content-disposition:/i;
const NAMES_MODEL = /[;\s]name="?model"?(?:[;\s]|$)/i;

/** Reads just enough of a form to find its model. More than `limit` bytes in all break the upload off. */
export async function peekForm(request: IncomingMessage, limit: number): Promise<StreamedForm> {
  const announced = request.headers["content-length"];
  if (Number(announced ?? 0) > limit)
    throw new AppError("too_large", `The body is larger than ${limit} bytes`);
  const rest = request[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let peeked: Buffer = Buffer.alloc(0);
  const find = modelFinder();
  let found: Range | undefined;
  for (let ended = false; !ended && !found && peeked.length < PEEKED; ) {
    const next = await rest.next();
    ended = next.done === true;
    if (!ended) peeked = Buffer.concat([peeked, next.value]);
    found = find(peeked);
  }
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

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Looks for the value of the field `model` in a form that grows, line by line and at each line once. */
function modelFinder(): (form: Buffer) => Range | undefined {
  let from = 0;
  let place: "elsewhere" | "headers" | "value" = "elsewhere";
  return (form) => {
    for (let end = form.indexOf("\r\n", from); end >= 0; end = form.indexOf("\r\n", from)) {
      if (place === "value") return { start: from, end };
      const line = form.toString("latin1", from, end);
      if (DISPOSITION.test(line)) place = NAMES_MODEL.test(line) ? "headers" : "elsewhere";
      else if (line === "" && place === "headers") place = "value";
      from = end + 2;
    }
    return undefined;
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
