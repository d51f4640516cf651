/** Fragments that have caused errors in HTTP parsers. */
const SPICE = [
  "\r\n",
  "\n",
  "\r",
  "\0",
  " ",
  "\t",
  ":",
  ";",
  ",",
  "%",
  "%00",
  "%2e%2e%2f",
  "\xff\xfe",
  "\x7f",
  "\x0b",
  "HTTP/1.1",
  "HTTP/1.0",
  "GET / HTTP/1.1\r\n",
  "Host: localhost\r\n",
  "Host: \r\n",
  "Content-Length: 5\r\n",
  "Content-Length: 18446744073709551616\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Transfer-Encoding: identity\r\n",
  "Connection: upgrade\r\nUpgrade: websocket\r\n",
  "Expect: 100-continue\r\n",
  "0\r\n\r\n",
  "ffffffffffffffff\r\n",
  "Content-Type: multipart/form-data; boundary=\r\n",
  "Content-Encoding: gzip\r\n",
  "Origin: null\r\n",
  "Cookie: a=b; c\r\n",
  '{"__proto__":1}',
  "[[[[[[[[",
  '"\\ud800"',
  "A".repeat(9_000),
] as const;

const METHODS = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "CONNECT", "PRI", ""];

/** Returns an almost valid request: a valid one with a few random changes. */
export function malformedRequest(random: () => number, paths: readonly string[], body: string): Buffer {
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  const head = [
    `${pick(METHODS)} ${pick(paths)} HTTP/1.1`,
    "Host: localhost",
    "Content-Type: application/json",
    random() < 0.5 ? `Content-Length: ${body.length}` : "Transfer-Encoding: chunked",
  ];
  let text = `${head.join("\r\n")}\r\n\r\n${body}`;
  for (let wounds = 1 + Math.floor(random() * 5); wounds > 0; wounds -= 1) {
    const at = Math.floor(random() * text.length);
    const kind = random();
    if (kind < 0.5) text = text.slice(0, at) + pick(SPICE) + text.slice(at);
    else if (kind < 0.7) text = text.slice(0, at) + String.fromCharCode(random() * 256) + text.slice(at + 1);
    else if (kind < 0.85) text = text.slice(0, at) + text.slice(at + random() * 40);
    else text = text.slice(0, at) + text.slice(Math.floor(random() * text.length));
  }
  return Buffer.from(text, "latin1");
}
