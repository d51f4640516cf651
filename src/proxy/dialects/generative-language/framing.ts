/** How the chunks of a stream are put one after the other; `json` is a chunk as JSON text. */
export interface Framing {
  chunk(json: string): string;
  /** The chunk after which nothing follows. */
  last(json: string): string;
  /** Text that keeps a quiet stream open; empty where clients take none. */
  readonly ping: string;
}

/**
 * Returns the framing of one stream. Events end in CRLF as the vendor's do; an array is opened by its first member and
 * closed by its last.
 *
 * Events have no keep-alive. Google's servers send none, and Google's SDKs for Python and Go and LangChain fail on a
 * comment or an empty line; an event without content makes the chats of its SDKs drop the turn from their history.
 */
export function createFraming(array: boolean): Framing {
  if (!array) {
    const chunk = (json: string) => `data: ${json}\r\n\r\n`;
    return { chunk, last: chunk, ping: "" };
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
