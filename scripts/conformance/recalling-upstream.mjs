import { createServer, request } from "node:http";

/**
 * Starts an upstream that responds like the echo behind it, but repeats the user messages of a text-only conversation,
 * so that a suite can check that the upstream has received the earlier turns. Resolves with its server.
 */
export function startRecallingUpstream(echo) {
  const server = createServer((client, response) => {
    const chunks = [];
    client.on("data", (chunk) => chunks.push(chunk));
    client.on("end", () => {
      const body = withRecalledTurns(Buffer.concat(chunks));
      const { host: _, "content-length": __, "transfer-encoding": ___, ...headers } = client.headers;
      const call = request(new URL(client.url, echo), { method: client.method, headers }, (echoed) => {
        response.writeHead(echoed.statusCode, echoed.headers);
        echoed.pipe(response);
      });
      call.on("error", () => response.destroy());
      call.end(body);
    });
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}

/** Prepends the earlier user messages of a text-only conversation to its last message. */
function withRecalledTurns(body) {
  let json;
  try {
    json = JSON.parse(body.toString());
  } catch {
    return body;
  }
  const turns = json?.messages ?? json?.contents;
  if (!Array.isArray(turns) || !turns.some(({ role }) => role === "assistant" || role === "model"))
    return body;
  const users = turns.filter(({ role }) => role === "user");
  const texts = users.map(textOf);
  const last = turns.at(-1);
  if (last.role !== "user" || texts.includes(undefined)) return body;
  const text = texts.join("\n");
  if (json.contents) last.parts = [{ text }];
  else last.content = text;
  return JSON.stringify(json);
}

/** Returns the text of a message; undefined if it has other parts. */
function textOf({ content, parts = content }) {
  if (typeof parts === "string") return parts;
  const texts = parts?.map(({ text }) => text);
  return texts?.every((text) => typeof text === "string") ? texts.join("") : undefined;
}
