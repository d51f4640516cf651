import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { quietPort } from "./quiet-port.ts";
import { type SpawnedCommand, sandbox, startCommand } from "./spawned-command.ts";

export interface ProxyCommand extends SpawnedCommand {
  readonly port: number;
  readonly save: (settings: object) => void;
  /** The complete lines of the request log, from all of its files. */
  readonly logged: () => Record<string, unknown>[];
}

/** Starts `proxy start` with this number of workers and these settings; resolves once it listens. */
export async function startProxyCommand(
  settings: object,
  workers: number,
  limits: { readonly descriptors?: number } = {},
): Promise<ProxyCommand> {
  const folder = await sandbox();
  const file = join(folder, "config.json");
  const save = (next: object) => writeFileSync(file, JSON.stringify({ proxy: next }));
  save(settings);
  const port = await quietPort();
  const flags = ["--config", file, "--port", String(port), "--workers", String(workers)];
  const command = await startCommand(["proxy", "start", ...flags], { folder, ...limits });
  await command.waitForOutput(/Proxy listening/);
  return { ...command, port, save, logged: () => linesIn(join(folder, "data", "proxy")) };
}

function linesIn(folder: string): Record<string, unknown>[] {
  return (
    readdirSync(folder)
      .filter((name) => name.startsWith("requests.ndjson"))
      .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"))
      // The file is empty if it was just rotated.
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
  );
}

/** A response, whose text is read on demand. */
export interface WorkerResponse {
  readonly status: number;
  /** Identifies the worker: the same for all of its responses, and different for other workers. */
  readonly worker: string;
  readonly response: IncomingMessage;
  text(): Promise<string>;
}

/** Makes one call on a new connection, which any worker can receive. Resolves when the response has begun. */
export function ask(
  { port }: { readonly port: number },
  path: string,
  body?: object,
  { method = body ? "POST" : "GET", headers = {} as Record<string, string> } = {},
): Promise<WorkerResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        path,
        method,
        agent: false,
        headers: { ...(body ? { "content-type": "application/json" } : {}), ...headers },
      },
      (response) => {
        const id = String(response.headers["x-sallyport-request-id"] ?? "");
        resolve({
          status: response.statusCode ?? 0,
          worker: id.slice(0, 16),
          response,
          text: () => textOf(response),
        });
      },
    );
    sent.once("error", reject);
    sent.end(body && JSON.stringify(body));
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return text;
}

/** Repeats the call until a response matches; the others are read and discarded. */
export async function askUntil(
  again: () => Promise<WorkerResponse>,
  isIt: (response: WorkerResponse) => boolean,
): Promise<WorkerResponse> {
  for (;;) {
    const response = await again();
    if (isIt(response)) return response;
    await response.text();
  }
}

/**
 * Waits until `/metrics` has the value: a call is counted when it has ended, slightly after its client has the
 * response.
 */
export async function metricsWith(proxy: ProxyCommand, pattern: RegExp): Promise<string> {
  for (;;) {
    const text = await (await ask(proxy, "/metrics")).text();
    if (pattern.test(text)) return text;
  }
}

/** The processes that `pid` has started and that have not ended. */
export function childrenOf(pid: number | undefined): number[] {
  return living()
    .filter(({ parent }) => parent === pid)
    .map((each) => each.pid);
}

/** Whether it runs. A zombie, as in containers without an init process, does not count. */
export function isAlive(pid: number): boolean {
  return living().some((each) => each.pid === pid);
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** One letter; Z has ended. */
  readonly state: string;
}

/** Uses the kernel's list if there is one, as on Linux, where `ps` may not be installed. */
function living(): readonly Process[] {
  const all = existsSync("/proc/self/stat")
    ? readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .flatMap(processOf)
    : execFileSync("ps", ["-A", "-o", "pid=,state=,ppid="], { encoding: "utf8" })
        .trim()
        .split("\n")
        .map(fromFields);
  return all.filter(({ state }) => !state.startsWith("Z"));
}

function processOf(pid: string): Process[] {
  try {
    // The program's name is in parentheses and may contain any character.
    return [fromFields(`${pid} ${readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)}`)];
  } catch {
    // The process has ended in the meantime.
    return [];
  }
}

function fromFields(line: string): Process {
  const [pid, state = "", parent] = line.trim().split(/\s+/);
  return { pid: Number(pid), state, parent: Number(parent) };
}
