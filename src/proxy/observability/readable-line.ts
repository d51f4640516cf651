import type { CallRecord } from "./request-log.ts";

/** The members of a call that `readableLine` shows. */
export type ReadableCall = Pick<
  CallRecord,
  "time" | "method" | "route" | "status" | "ms" | "stream" | "retries" | "errorMessage"
> & {
  readonly model?: string | undefined;
  readonly upstream?: string | undefined;
  readonly upstreamModel?: string | undefined;
  readonly firstByteMs?: number | undefined;
  readonly cost?: number | undefined;
  readonly usage?:
    | {
        readonly input: { readonly total?: number | undefined };
        readonly output: { readonly total?: number | undefined };
      }
    | undefined;
  readonly losses: readonly { readonly code: string }[];
};

/**
 * Formats a call as one line for people:
 * `14:02:11  200    1.2s  POST /v1/messages  claude-sonnet-5 → anthropic  1.2k + 340 tokens  $0.0058`.
 */
export function readableLine(record: ReadableCall): string {
  const { model, upstream, upstreamModel, usage, cost } = record;
  const renamed = upstreamModel !== undefined && upstreamModel !== model ? ` as ${upstreamModel}` : "";
  const parts = [
    record.time.slice(11, 19),
    record.status < 400 ? String(record.status) : `${record.status}!`,
    duration(record.ms).padStart(6),
    `${record.method} ${record.route}`,
    [model ?? "", upstream === undefined ? "" : `→ ${upstream}${renamed}`].filter(Boolean).join(" "),
    record.stream && record.firstByteMs !== undefined ? `first byte ${duration(record.firstByteMs)}` : "",
    usage ? `${count(usage.input.total)} + ${count(usage.output.total)} tokens` : "",
    cost === undefined ? "" : dollars(cost),
    record.retries > 0 ? `${record.retries} retries` : "",
    record.losses.length > 0 ? `lost: ${record.losses.map((loss) => loss.code).join(" ")}` : "",
    record.errorMessage ?? "",
  ];
  // Names come from clients. A name with a line break could otherwise forge a line.
  return parts
    .filter(Boolean)
    .join("  ")
    .replace(/[\t\r\n]+/g, " ");
}

function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)}ms`;
  return milliseconds < 60_000
    ? `${(milliseconds / 1000).toFixed(1)}s`
    : `${Math.round(milliseconds / 60_000)}min`;
}

function count(tokens: number | undefined): string {
  if (tokens === undefined) return "?";
  return tokens < 1000 ? String(tokens) : `${(tokens / 1000).toFixed(1)}k`;
}

function dollars(cost: number): string {
  if (cost === 0) return "$0";
  return cost < 0.0001 ? "<$0.0001" : `$${cost.toFixed(4)}`;
}
