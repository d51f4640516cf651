import { keepAliveComment } from "../../../sse/serialize.ts";

/** How the chunks of a stream are put one after the other; `json` is a chunk as JSON text. */
export interface Framing {
  chunk(json: string): string;
  /** The chunk after which nothing follows. */
  last(json: string): string;
  readonly ping: string;
}

/** Events end in CRLF as the vendor's do; an array is opened by its first member and closed by its last. */
export function createFraming(array: boolean): Framing {
  if (!array) {
    const chunk = (json: string) => `data: ${json}\r\n\r\n`;
    return { chunk, last: chunk, ping: keepAliveComment };
  }
  let isFirst = true;
  const chunk = (json: string) => {
    const before = isFirst ? "[" : ",\r\n";
    isFirst = false;
    return `${before}${json}`;
  };
  // White space may stand anywhere between the members.
  return { chunk, last: (json) => `${chunk(json)}]`, ping: "\n" };
}
