import type { Socket } from "node:net";
import { chunk, head, SECRET, sseHead, type UpstreamFailure } from "./upstream-errors.ts";
import { type ClientDialect, EVENTS } from "./vendor-responses.ts";

/** A vendor's error event within a stream, which contains the vendor's key. */
const FAILURE: Record<ClientDialect, string> = {
  "chat-completions": `data: {"error":{"message":"Overloaded ${SECRET}","type":"server_error"}}\n\n`,
  responses: `event: response.failed\ndata: {"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"Overloaded ${SECRET}"}}}\n\n`,
  messages: `event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded ${SECRET}"}}\n\n`,
  "generative-language": `data: {"error":{"code":503,"message":"Overloaded ${SECRET}","status":"UNAVAILABLE"}}\n\n`,
};

const first = (dialect: ClientDialect) => EVENTS[dialect][0] ?? "";
const all = (dialect: ClientDialect) => EVENTS[dialect].join("");

/** A stream with this text that stays open afterwards, so the client must disconnect. */
const openStream = (toText: (dialect: ClientDialect) => string) => (socket: Socket, dialect: ClientDialect) =>
  void socket.write(Buffer.concat([Buffer.from(sseHead), chunk(toText(dialect))]));

const openResponse = (status: string, headers: Record<string, string>, text: string) => (socket: Socket) =>
  void socket.write(
    Buffer.concat([Buffer.from(head(status, { ...headers, "transfer-encoding": "chunked" })), chunk(text)]),
  );

/** Faults that only decoding detects. After each one, the proxy must disconnect from the upstream. */
export const TRANSLATED_FAILURES: readonly UpstreamFailure[] = [
  {
    name: "an event that is no JSON",
    behave: openStream((dialect) => `${first(dialect)}data: {"broken\n\n${first(dialect)}`),
    only: "stream",
  },
  {
    name: "an event of a wrong type",
    behave: openStream((dialect) => `${first(dialect)}data: [7]\n\n${first(dialect)}`),
    only: "stream",
  },
  {
    name: "an error midway",
    behave: openStream((dialect) => first(dialect) + FAILURE[dialect] + first(dialect)),
    only: "stream",
  },
  {
    name: "an error midway, an event later",
    behave: (socket, dialect) => {
      openStream(first)(socket, dialect);
      setTimeout(() => socket.write(chunk(FAILURE[dialect])), 15);
    },
    only: "stream",
  },
  {
    name: "an error instead of the first event",
    behave: openStream((dialect) => FAILURE[dialect]),
    statuses: [500, 502, 503, 529],
    only: "stream",
  },
  {
    name: "two ends",
    behave: openStream((dialect) => all(dialect) + EVENTS[dialect].slice(1).join("")),
    only: "stream",
    needsEnd: true,
    isGood: true,
  },
  {
    name: "a second answer behind the end",
    behave: openStream((dialect) => all(dialect) + all(dialect)),
    only: "stream",
    needsEnd: true,
    isGood: true,
  },
  {
    name: "an error behind the end",
    behave: openStream((dialect) => all(dialect) + FAILURE[dialect]),
    only: "stream",
    needsEnd: true,
    isGood: true,
  },
  {
    name: "lines that end in CR",
    behave: (socket, dialect) => {
      openStream(() => all(dialect).replaceAll("\n", "\r"))(socket, dialect);
      socket.end("0\r\n\r\n");
    },
    only: "stream",
    isGood: true,
  },
  {
    name: "a page that never ends, with status 200",
    behave: openResponse("200 OK", { "content-type": "text/html" }, "<html>"),
    statuses: [502],
  },
  {
    name: "a redirect that never ends",
    behave: openResponse("302 Found", { location: "http://127.0.0.1:9/elsewhere" }, "Moved"),
    statuses: [502],
  },
  {
    name: "a refusal that never ends",
    behave: openResponse("400 No", { "content-type": "application/json" }, `{"error":{"message":"${SECRET}`),
    statuses: [400],
    silence: "idle",
  },
  {
    name: "an answer that lies about its coding",
    behave: openResponse("200 OK", { "content-encoding": "gzip" }, "plain"),
    statuses: [502],
  },
  {
    name: "an answer in an unknown coding",
    behave: openResponse("200 OK", { "content-encoding": "pineapple" }, "plain"),
    statuses: [502],
  },
  {
    name: "plain words that never end, with status 400",
    behave: openResponse("400 No", { "content-type": "text/plain" }, `no, ${SECRET}`),
    statuses: [400],
    silence: "idle",
  },
];
