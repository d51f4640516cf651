import type { IncomingMessage } from "node:http";
import { getPath } from "../../http/request-path.ts";
import type { ProxyError } from "../dialect-errors.ts";
import type { Route } from "../routes.ts";
import type { Services } from "../services.ts";

/** Counts and logs a request that was rejected before it became a call. `route` is undefined if no route matched. */
export function noteRefusal(
  { method = "", url = "", headers, socket }: IncomingMessage,
  route: Route | undefined,
  rejection: ProxyError,
  services: Services,
): void {
  const { redact, forwarding } = services.runtime();
  const refusal = {
    time: new Date().toISOString(),
    client: forwarding.client(socket.remoteAddress, headers),
    method,
    path: redact(getPath(url)),
    route: route?.path ?? "",
    status: rejection.status,
    errorCode: rejection.code ?? "validation",
    reason: redact(rejection.message),
  };
  services.metrics.refuse(refusal);
  services.log.refused(refusal);
}
