import { join } from "node:path";
import { z } from "zod";
import { dataDirectory, processEnvironment } from "../../../config/paths.ts";
import { AppError } from "../../../errors.ts";
import { readableLine } from "../../../proxy/observability/readable-line.ts";
import type { Output } from "../../output.ts";
import { followLines, readLastLines } from "./follow-file.ts";

export interface ProxyLogsFlags {
  readonly follow: boolean;
  readonly lines: string;
  readonly json: boolean;
}

/** The exit code after Ctrl-C: 128 plus the number of SIGINT. */
const INTERRUPTED = 130;

/** Runs `sallyport proxy logs`: prints the last lines of the request log, and with `--follow` new ones. */
export async function showProxyLogs(flags: ProxyLogsFlags, output: Output): Promise<number> {
  const path = join(dataDirectory(processEnvironment), "proxy", "requests.ndjson");
  const format = flags.json ? (line: string) => line : formatLogLine;
  const { lines, end } = await readLastLines(path, parseCount(flags.lines));
  if (!flags.follow) {
    if (lines.length === 0 && !flags.json) output.note(`${path} has no calls.`);
    if (lines.length > 0) await output.result(lines.map(format).join("\n"));
    return 0;
  }
  return printLines(lines, format, (onLine, signal) => followLines(path, end, onLine, signal));
}

/**
 * Prints lines until Ctrl-C, until SIGTERM, or until the reader closes the pipe. Writes to stdout directly, because the
 * output is a stream, not a result. Resolves to the exit code.
 */
export async function printLines(
  first: readonly string[],
  format: (line: string) => string,
  follow: (onLine: (line: string) => void, signal: AbortSignal) => Promise<void>,
): Promise<number> {
  const end = new AbortController();
  let code = 0;
  const onInterrupt = () => {
    code = INTERRUPTED;
    end.abort();
  };
  const onClosed = () => end.abort();
  process.once("SIGINT", onInterrupt);
  process.once("SIGTERM", onClosed);
  process.stdout.once("error", onClosed);
  const print = (line: string) => void process.stdout.write(`${format(line)}\n`);
  try {
    for (const line of first) print(line);
    await follow(print, end.signal);
    return code;
  } finally {
    process.off("SIGINT", onInterrupt);
    process.off("SIGTERM", onClosed);
    process.stdout.off("error", onClosed);
  }
}

/** Parses `--lines`. Throws `usage`. */
export function parseCount(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new AppError("usage", `--lines must be a number of lines, got "${text}"`, {
    hint: "Use a whole number, such as --lines 200.",
  });
}

/** The members of a log line that are shown. Lines of rejected requests lack most members. */
const logLine = z.object({
  time: z.string(),
  method: z.string().default(""),
  route: z.string().default(""),
  path: z.string().default(""),
  model: z.string().optional(),
  upstream: z.string().optional(),
  upstream_model: z.string().optional(),
  status: z.number(),
  ms: z.number().default(0),
  first_byte_ms: z.number().optional(),
  stream: z.boolean().default(false),
  retries: z.number().default(0),
  tokens: z.object({ input: z.number().optional(), output: z.number().optional() }).optional(),
  cost: z.number().optional(),
  losses: z.array(z.string()).default([]),
  fault: z.string().optional(),
});

/** Formats a line of the request log as `proxy start` prints calls. A line in another form is returned unchanged. */
export function formatLogLine(text: string): string {
  const parsed = logLine.safeParse(toJson(text));
  if (!parsed.success) return text;
  const {
    route,
    path,
    upstream_model,
    first_byte_ms,
    tokens,
    losses,
    fault: errorMessage,
    ...same
  } = parsed.data;
  return readableLine({
    ...same,
    route: route || path,
    upstreamModel: upstream_model,
    firstByteMs: first_byte_ms,
    usage: tokens && { input: { total: tokens.input }, output: { total: tokens.output } },
    losses: losses.map((code) => ({ code })),
    errorMessage,
  });
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
