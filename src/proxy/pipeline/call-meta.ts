import type { CallMeta } from "../gateway/lost-calls.ts";
import type { Target } from "../routing/select-targets.ts";
import type { Call } from "./call.ts";

/** The members of `CallMeta` that calls of one client to one model share, and their JSON. */
interface SharedMeta {
  readonly key: Call["key"];
  readonly client: string;
  readonly method: string;
  readonly route: string;
  readonly model: string | undefined;
  readonly upstream: string;
  readonly upstreamModel: string;
  readonly stream: boolean;
  readonly text: string;
}

let lastMeta: SharedMeta | undefined;

/**
 * Describes a call for the replica that finds it lost: `CallMeta` as JSON. Such calls come in runs, so the last text is
 * cached.
 */
export function formatCallMeta(call: Call, { upstream, model }: Target): string {
  const method = call.request.method ?? "";
  const { key, client, route } = call;
  if (
    lastMeta === undefined ||
    lastMeta.key !== key ||
    lastMeta.client !== client ||
    lastMeta.method !== method ||
    lastMeta.route !== route.path ||
    lastMeta.model !== call.model ||
    lastMeta.upstream !== upstream.name ||
    lastMeta.upstreamModel !== model ||
    lastMeta.stream !== call.stream
  )
    lastMeta = shareMeta(call, upstream.name, model, method);
  return `{"time":"${new Date().toISOString()}","id":"${call.id}",${lastMeta.text}`;
}

function shareMeta(
  { key, client, route, model, stream }: Call,
  upstream: string,
  upstreamModel: string,
  method: string,
): SharedMeta {
  const members: Omit<CallMeta, "time" | "id"> = {
    key: key?.name,
    key_id: key?.id,
    team: key?.team,
    tags: key?.tags,
    client,
    method,
    route: route.path,
    model,
    upstream,
    upstream_model: upstreamModel,
    stream,
  };
  const text = JSON.stringify(members).slice(1);
  return { key, client, method, route: route.path, model, upstream, upstreamModel, stream, text };
}
