import type { IncomingHttpHeaders } from "node:http";
import type { ProxyKey } from "../../config/proxy-config.ts";
import { checkRequest } from "../../http/guard.ts";
import { shownKeys } from "../auth/credentials.ts";
import { needsKey } from "../auth/policy.ts";
import type { Route } from "../routes.ts";
import type { Runtime } from "../runtime.ts";
import type { Services } from "../services.ts";

/** A request as the door sees it: nothing of its body. `rawHeaders` is Node's flat name, value, name, value … list. */
export interface Arrival {
  readonly method: string;
  readonly url: string;
  /** The URL without its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
}

/** Why a request is turned away. */
export type RefusalReason = "stopping" | "host" | "page" | "key" | "loop";

export interface Admission {
  /** The key that was shown and is right. */
  readonly key: ProxyKey | undefined;
  readonly refusal: RefusalReason | undefined;
}

/**
 * What every request passes before anything else of it is looked at, whichever route it takes or misses: is the proxy
 * open, is the host ours, does it come from somebody's web page, has it the key, has it been here before. `route` is
 * undefined where none matched.
 */
export function admit(
  arrival: Arrival,
  route: Route | undefined,
  runtime: Runtime,
  services: Services,
): Admission {
  const { url, path, headers } = arrival;
  if (services.isDraining()) return refused("stopping");
  const guarded = checkRequest(arrival, runtime.guard);
  if (!guarded.allowed && guarded.reason === "host") return refused("host");
  const queryToo = route?.dialect === "generative-language" && path.startsWith("/v1beta");
  const key = runtime.keys.find(shownKeys(headers, url, queryToo));
  if (key === undefined) {
    if (!guarded.allowed) return refused("page");
    if (needsKey(runtime.authMode, route?.operation)) return refused("key");
  }
  const isBack = headers["x-sallyport-via"]?.includes(services.via) === true;
  return { key, refusal: isBack ? "loop" : undefined };
}

function refused(refusal: RefusalReason): Admission {
  return { key: undefined, refusal };
}
