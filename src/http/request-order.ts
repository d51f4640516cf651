import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/**
 * Handles the requests that a client pipelines on a connection one after another: each once the response to the
 * previous one has been sent. Node.js parses them together and only orders the responses, so that the second of two
 * decisions could otherwise be taken and the first be refused (RFC 9112, section 9.3.2).
 */
export function addRequestOrder(app: FastifyInstance): void {
  const latest = new WeakMap<Socket, ServerResponse>();
  app.addHook("onRequest", (request, reply, done) => {
    const { socket } = request.raw;
    const previous = latest.get(socket);
    latest.set(socket, reply.raw);
    if (previous === undefined || previous.closed) done();
    else previous.once("close", () => done());
  });
}
