/** The permitted results of a request that is designed to be read in two ways. */
interface SmugglingRow {
  readonly name: string;
  /** The bytes. A vulnerable server treats `inner` as a separate request. */
  readonly bytes: (outer: Outer, inner: string) => string | readonly string[];
  /** The statuses of the only response. 0 stands for a connection that is closed without a response. */
  readonly statuses: readonly number[];
}

/** A valid request to a server. */
interface Outer {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

const REFUSED = [400];
const ACCEPTED = [200];

/** A request with exactly these header lines and this body. */
function request(
  { method, path }: Outer,
  lines: readonly string[],
  body: string,
  host = "Host: localhost",
): string {
  const head = [`${method} ${path} HTTP/1.1`, host, "Content-Type: application/json", ...lines];
  return `${head.filter(Boolean).join("\r\n")}\r\n\r\n${body}`;
}

const chunked = "Transfer-Encoding: chunked";
const lengthOf = (text: string) => `Content-Length: ${text.length}`;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

/** Contradictory header lines about the end of the body, and the body. */
const FRAMINGS: readonly (readonly [
  name: string,
  lines: (body: string) => string[],
  statuses?: readonly number[],
])[] = [
  ["length and chunks", (body) => [lengthOf(body), chunked]],
  ["chunks and length", (body) => [chunked, lengthOf(body)]],
  ["two lengths", (body) => [lengthOf(body), "Content-Length: 0"]],
  ["two equal lengths", (body) => [lengthOf(body), lengthOf(body)]],
  ["a list of lengths", (body) => [`${lengthOf(body)}, ${body.length}`]],
  ["a negative length", () => ["Content-Length: -1"]],
  ["a length with a sign", (body) => [`Content-Length: +${body.length}`]],
  ["a length in hexadecimal", (body) => [`Content-Length: 0x${body.length.toString(16)}`]],
  ["an empty length", () => ["Content-Length:"]],
  ["a length beyond all numbers", () => ["Content-Length: 99999999999999999999999999"]],
  ["a length with a space before the colon", (body) => [`Content-Length : ${body.length}`]],
  ["a folded length", (body) => ["Content-Length:", ` ${body.length}`, "Content-Length: 0"]],
  ["an unknown coding", () => ["Transfer-Encoding: xchunked"]],
  ["chunks that are not last", () => ["Transfer-Encoding: chunked, identity"]],
  ["chunks twice", () => ["Transfer-Encoding: chunked, chunked"]],
  ["a second coding", () => [chunked, "Transfer-Encoding: identity"]],
  ["a coding behind a vertical tab", () => ["Transfer-Encoding: \x0bchunked"]],
  ["a coding with a space before the colon", () => ["Transfer-Encoding : chunked"]],
  ["a coding after a bare line feed", (body) => [`X: x\nTransfer-Encoding: chunked`, lengthOf(body)]],
  ["a coding after a bare carriage return", (body) => [`X: x\rTransfer-Encoding: chunked`, lengthOf(body)]],
  ["a NUL in a name", (body) => [lengthOf(body), "X\0Y: x"]],
  ["a NUL in a value", (body) => [lengthOf(body), "X: x\0y"]],
  ["a line without a colon", (body) => [lengthOf(body), "nonsense"]],
  ["a name that is empty", (body) => [lengthOf(body), ": x"]],
];

/** Chunked bodies that can be split in two ways. */
const CHUNKS: readonly (readonly [name: string, body: (inner: string) => string])[] = [
  ["in hexadecimal with 0x", (inner) => `0x0\r\n\r\n${inner}`],
  ["negative", (inner) => `-1\r\n\r\n${inner}`],
  ["beyond all numbers", (inner) => `FFFFFFFFFFFFFFFFF\r\n${inner}`],
  ["with a space before", (inner) => ` 2\r\n{}\r\n0\r\n\r\n${inner}`],
  ["empty", (inner) => `\r\n${inner}`],
  ["that is too small", (inner) => `1\r\n{}\r\n0\r\n\r\n${inner}`],
  ["that is too large", (inner) => `5\r\n{}\r\n0\r\n\r\n${inner}`],
  ["that ends in a bare line feed", (inner) => `2\n{}\n0\n\n${inner}`],
  ["with an extension that holds a line feed", (inner) => `2;x\n\r\n{}\r\n0\r\n\r\n${inner}`],
  ["that ends in a bare carriage return", (inner) => `2\r{}\r\n0\r\n\r\n${inner}`],
];

/** Header sections that other servers may parse differently. */
const HEADS: readonly (readonly [
  name: string,
  bytes: (outer: Outer, inner: string) => string,
  statuses: readonly number[],
])[] = [
  ["no Host", (outer) => request(outer, [lengthOf(outer.body)], outer.body, ""), REFUSED],
  [
    "two Hosts",
    (outer) => request(outer, ["Host: evil.example", lengthOf(outer.body)], outer.body),
    [400, 403],
  ],
  [
    "a foreign Host",
    (outer) => request(outer, [lengthOf(outer.body)], outer.body, "Host: evil.example"),
    [403],
  ],
  [
    "bare line feeds throughout",
    (outer) => request(outer, [lengthOf(outer.body)], outer.body).replaceAll("\r\n", "\n"),
    REFUSED,
  ],
  [
    "an unknown method",
    (outer) => request({ ...outer, method: "SMUGGLE" }, [lengthOf(outer.body)], outer.body),
    REFUSED,
  ],
  [
    "a method in lower case",
    (outer) => request({ ...outer, method: "post" }, [lengthOf(outer.body)], outer.body),
    REFUSED,
  ],
  [
    "a NUL in the path",
    (outer) => request({ ...outer, path: `${outer.path}\0` }, [lengthOf(outer.body)], outer.body),
    REFUSED,
  ],
  [
    "a space in the path",
    (outer) => request({ ...outer, path: `${outer.path} x` }, [lengthOf(outer.body)], outer.body),
    REFUSED,
  ],
  // The parser of Node.js 20.19 accepts the version; such a request has no Host.
  ["HTTP/0.9", ({ path }, inner) => `GET ${path}\r\n\r\n${inner}`, [400, 403]],
  [
    "HTTP/3.7",
    (outer) => request(outer, [lengthOf(outer.body)], outer.body).replace("HTTP/1.1", "HTTP/3.7"),
    REFUSED,
  ],
  ["the preface of HTTP/2", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", REFUSED],
  ["a handshake of TLS", () => "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03", REFUSED],
  ["a path of 70 KB", (outer) => request({ ...outer, path: `/${"a".repeat(70_000)}` }, [], ""), [431]],
  ["a header of 70 KB", (outer) => request(outer, [`X: ${"a".repeat(70_000)}`], ""), [431]],
  [
    "three thousand headers",
    (outer) =>
      request(
        outer,
        Array.from({ length: 3_000 }, (_, at) => `X${at}: some value`),
        "",
      ),
    [431],
  ],
];

/** The table of cases, none of which may cause a second request. */
export const SMUGGLING: readonly SmugglingRow[] = [
  ...FRAMINGS.map(([name, lines, statuses = REFUSED]) => ({
    name,
    statuses,
    bytes: (outer: Outer, inner: string) => request(outer, lines(outer.body), chunk(outer.body) + inner),
  })),
  ...CHUNKS.map(([name, body]) => ({
    name: `a chunk size ${name}`,
    statuses: REFUSED,
    bytes: (outer: Outer, inner: string) => request(outer, [chunked], body(inner)),
  })),
  ...HEADS.map(([name, bytes, statuses]) => ({ name, statuses, bytes })),
  {
    name: "an honest body that looks like a request",
    statuses: ACCEPTED,
    bytes: (outer, inner) => request(outer, [lengthOf(honest(outer, inner))], honest(outer, inner)),
  },
  ...[
    ["honest chunks with an extension and a trailer", "X-Note: x", ACCEPTED] as const,
    // The parser of Node.js 20.19 separates such a trailer from the headers, so it does not affect framing.
    ["chunks with a trailer that looks like framing", "Content-Length: 3", [200, 400]] as const,
  ].map(([name, trailer, statuses]) => ({
    name,
    statuses,
    bytes: (outer: Outer, inner: string) => {
      const body = chunk(honest(outer, inner)).replace("\r\n", ";name=value\r\n");
      return request(outer, [chunked], body.replace(/0\r\n\r\n$/, `0\r\n${trailer}\r\n\r\n`));
    },
  })),
  {
    name: "a length that Connection wants to have removed",
    statuses: ACCEPTED,
    bytes: (outer, inner) =>
      request(
        outer,
        ["Connection: content-length, close", lengthOf(honest(outer, inner))],
        honest(outer, inner),
      ),
  },
  {
    name: "a wait for 100 Continue",
    statuses: ACCEPTED,
    bytes: (outer, inner) =>
      request(outer, ["Expect: 100-continue", lengthOf(honest(outer, inner))], honest(outer, inner)),
  },
  {
    name: "an address in the request line that is another's",
    statuses: [200, 400, 403, 404],
    bytes: (outer) =>
      request({ ...outer, path: `http://evil.example${outer.path}` }, [lengthOf(outer.body)], outer.body),
  },
  {
    name: "an honest request, a byte at a time",
    statuses: ACCEPTED,
    bytes: (outer) => [...request(outer, [lengthOf(outer.body)], outer.body)],
  },
];

/** The outer body, which contains the inner request as a string. */
function honest({ body }: Outer, inner: string): string {
  return body.replace(/\}$/, `,"note":${JSON.stringify(inner)}}`);
}
