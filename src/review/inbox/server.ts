import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { addGuard, addPeerCheck } from "../../http/access-checks.ts";
import { addErrorHandler, createApp } from "../../http/app.ts";
import { addPage } from "../../http/page.ts";
import type { PageSource } from "../../http/page-source.ts";
import { addSecurityHeaders } from "../../http/security-headers.ts";
import type { InboxContent } from "../api-types.ts";
import { createEventHub } from "../events.ts";
import { readInbox, startOfDay } from "./read-inbox.ts";

/** Maximum bytes of a request body; the inbox has no routes with bodies. */
const BODY_LIMIT = 64 * 1024;
/** Milliseconds between two checks for changes; a killed review leaves no other sign. */
const CHECK_MS = 1_000;

export interface InboxServerParts {
  readonly dataDirectory: string;
  readonly source: PageSource;
  /** Called with errors that the client did not cause. */
  readonly onFailure: (error: unknown) => void;
}

/** Creates the inbox server, which does not listen yet. It only reads: reviews are decided on their own pages. */
export function createInboxServer({ dataDirectory, source, onFailure }: InboxServerParts): FastifyInstance {
  const app = createApp({ bodyLimit: BODY_LIMIT, acceptAnyPath: true });
  const events = createEventHub(randomUUID());
  const read = (): Promise<InboxContent> => readInbox(dataDirectory, startOfDay(new Date()));
  addSecurityHeaders(app);
  addPeerCheck(app, []);
  addGuard(app, {
    hostnames: [],
    anyAddress: false,
    origins: [],
    mayBeLinked: (path) => !/^\/api(\/|$)/i.test(path),
  });
  addErrorHandler(app, onFailure);
  addPage(app, { source, name: "inbox" });

  app.get("/api/inbox", read);
  app.get("/api/events", { exposeHeadRoute: false }, async (_request, reply) =>
    reply.type("text/event-stream; charset=utf-8").send(events.open()),
  );

  let known: string | undefined;
  let timer: NodeJS.Timeout;
  const check = async () => {
    const content = await read().catch(() => undefined);
    const now = JSON.stringify(content);
    if (content && known !== undefined && now !== known) events.send({ event: "inbox", ...content });
    known = now ?? known;
    timer = setTimeout(() => void check(), CHECK_MS).unref();
  };
  timer = setTimeout(() => void check(), 0).unref();
  app.addHook("onClose", async () => {
    clearTimeout(timer);
    events.close();
  });
  return app;
}
