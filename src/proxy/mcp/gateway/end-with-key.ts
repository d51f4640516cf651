import type { Arrived } from "./serve-request.ts";

/** Milliseconds between two checks. */
const CHECK_MS = 1_000;

/** Ends an endless stream when its key is no longer valid. */
export function endWithKey({ request, response, reply, services }: Arrived): void {
  const timer = setInterval(() => {
    if (!services.runtime().stillAdmits(request, "mcp")) reply.end(undefined);
  }, CHECK_MS);
  timer.unref();
  response.once("close", () => clearInterval(timer));
}
