import type { FastifyInstance } from "fastify";
import { sendEarly } from "./early-response.ts";
import { checkRequest, type GuardPolicy, type GuardReason } from "./guard.ts";
import { getPeer, type Peer, refusedPeer } from "./peer.ts";
import { getPath } from "./request-path.ts";

const REMEDY: Record<GuardReason, string> = {
  host: "This server does not accept requests for this host name. Open the URL that was printed.",
  origin: "This request came from another web page. Open the URL that was printed.",
  site: "This request came from another web page. Open the URL that was printed.",
};

/** Rejects foreign requests with 403, on known and unknown routes. Hooks that are added later do not run for them. */
export function addGuard(
  app: FastifyInstance,
  policy: GuardPolicy,
  onRefused?: (reason: GuardReason, path: string) => void,
): void {
  app.addHook("onRequest", (request, reply, done) => {
    const path = getPath(request.url);
    const { method, raw, routeOptions } = request;
    const result = checkRequest(
      { method, path, url: request.url, route: routeOptions.url, rawHeaders: raw.rawHeaders },
      policy,
    );
    if (result.allowed) {
      done();
      return;
    }
    onRefused?.(result.reason, path);
    // `done` is not called: no later hook may run, even if the client disconnects before it has the response.
    sendEarly(reply.code(403), JSON.stringify({ error: REMEDY[result.reason] }));
  });
}

/**
 * Rejects requests of other users of this machine, and requests whose client has closed the connection, with 403, on
 * known and unknown routes. Hooks that are added later do not run for them. `allowed` lists the user ids that may send
 * requests in addition to the server's own and root.
 */
export function addPeerCheck(
  app: FastifyInstance,
  allowed: readonly number[],
  onRefused?: (uid: number, path: string) => void,
): void {
  const ownUid = process.geteuid?.();
  app.addHook("onRequest", (request, reply, done) => {
    const check = (peer: Peer) => {
      const refused = refusedPeer(peer, ownUid, allowed);
      if (refused === undefined) {
        done();
        return;
      }
      if (refused !== "closed") onRefused?.(refused, getPath(request.url));
      sendEarly(reply.code(403), JSON.stringify({ error: messageFor(refused, ownUid) }));
    };
    const peer = getPeer(request.raw.socket);
    if (peer instanceof Promise) void peer.then(check);
    else check(peer);
  });
}

function messageFor(refused: number | "closed", ownUid: number | undefined): string {
  if (refused === "closed") return "The connection was closed before its user could be looked up.";
  return (
    `This page belongs to another user: it runs as uid ${ownUid}, and the request comes from uid ${refused}. ` +
    `Open it as uid ${ownUid}. For a review, you can also add ${refused} to review.allowed_uids in the configuration ` +
    "file."
  );
}
