import type { ChildProcessWithoutNullStreams } from "node:child_process";
import type { McpProgram } from "../../../config/proxy/mcp-config.ts";
import { AppError, getErrorMessage } from "../../../errors.ts";
import { tryParseJson } from "../../exchange/json.ts";
import { endProgram, hasEnded, killProgram, spawnProgram } from "./child-process.ts";
import {
  createError,
  createNotification,
  createRequest,
  createResult,
  isNotification,
  isRequest,
  parseRpc,
  RPC_ERRORS,
  type RpcMessage,
  type RpcParams,
  type RpcRequest,
  type RpcResponse,
} from "./json-rpc.ts";
import { type McpLink, readServerFacts, type ServerFacts } from "./link.ts";
import { ProgramLink, type ProgramPipe } from "./program-link.ts";
import { readLines } from "./read-lines.ts";
import { type ClientFacts, LATEST_SESSION, STATELESS, withClientMeta } from "./revisions.ts";
import { untilAborted } from "./wait.ts";

export interface ProgramParts {
  readonly version: string;
  /** Writes a line to the proxy's messages. */
  readonly note: (line: string) => void;
}

/** Milliseconds before a program that has ended is restarted. The time doubles while the program keeps ending. */
const RESTART_MS = 500;
const MAX_RESTART_MS = 60_000;
/** Maximum milliseconds before a restart for which calls wait. Calls fail immediately if the restart is later. */
const SHORT_MS = 2_000;
/** Milliseconds after which a program counts as stable and is restarted after `RESTART_MS`. */
const STABLE_MS = 60_000;
/** Maximum milliseconds for the handshake, because a package manager may have to install the program first. */
const HANDSHAKE_MS = 120_000;
const MAX_LOG_LINE = 2_000;
/** Maximum characters of a message; results may contain images. */
const MAX_MESSAGE = 64 * 1024 * 1024;
/** Maximum characters of a line on stderr that is buffered. */
const MAX_STDERR_LINE = 64 * 1024;

/** Starts a program as an MCP server over stdin and stdout, and starts it again when it ends, until it is stopped. */
export class ProgramServer {
  private child: ChildProcessWithoutNullStreams | undefined;
  private running: Promise<ProgramPipe>;
  private failures = 0;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  private serial = 0;

  constructor(
    private readonly name: string,
    private readonly program: McpProgram,
    private readonly parts: ProgramParts,
  ) {
    this.running = this.start();
    this.running.catch(() => {});
  }

  /** Starts the program. If it fails to start or ends, schedules one restart. */
  private start(): Promise<ProgramPipe> {
    const startedAt = performance.now();
    let isOver = false;
    const restart = () => {
      if (isOver) return;
      isOver = true;
      this.restart(performance.now() - startedAt);
    };
    const running = this.run(restart);
    running.catch((error: unknown) => {
      if (!this.isStopped && !isOver) this.report(`cannot run: ${getErrorMessage(error)}`);
      restart();
    });
    return running;
  }

  /** Resolves with a client's connection once the program is ready. */
  async link(client: ClientFacts, signal: AbortSignal): Promise<McpLink> {
    const notReady = () =>
      new AppError(
        "upstream_timeout",
        `The MCP server ${this.name} is not ready: its program has not finished starting. Retry in a moment, or check proxy.mcp.${this.name}.`,
      );
    return new ProgramLink(await untilAborted(this.running, signal, notReady), client);
  }

  /** Ends the program and, except on Windows, the processes that it has started. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    if (this.child !== undefined) await endProgram(this.child);
  }

  /** Kills the program, because the proxy's process ends. */
  kill(): void {
    this.isStopped = true;
    if (this.child !== undefined && !hasEnded(this.child)) killProgram(this.child);
  }

  private async run(restart: () => void): Promise<ProgramPipe> {
    const child = await spawnProgram(this.program);
    this.child = child;
    if (this.isStopped) killProgram(child);
    return this.connect(child, restart);
  }

  private async connect(child: ChildProcessWithoutNullStreams, restart: () => void): Promise<ProgramPipe> {
    const links = new Set<ProgramLink>();
    const write = (message: RpcMessage) => {
      if (child.stdin.writable) child.stdin.write(`${JSON.stringify(message)}\n`);
    };
    // Errors of writing to the program or signaling it are ignored: `exit` handles its end.
    child.stdin.on("error", () => {});
    child.on("error", () => {});
    const own = new Map<number, (response: RpcResponse) => void>();
    let fail: (error: AppError) => void = () => {};
    const failed = new Promise<never>((_resolve, reject) => {
      fail = reject;
    });
    failed.catch(() => {});
    child.once("exit", (code, signal) => {
      const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
      if (!this.isStopped) this.report(`ended with ${how}`);
      const error = new AppError("upstream_cut", `The MCP server ${this.name} ended with ${how}`);
      fail(error);
      // The processes that the program has started must end with it.
      killProgram(child);
      restart();
      // The program's last lines are read before the connections end.
      child.once("close", () => {
        const open = [...links];
        links.clear();
        for (const link of open) link.end(error);
      });
    });
    const report = (line: string) => this.report(line);
    readLines(child.stderr, MAX_STDERR_LINE, report, () => this.report("a line on stderr is too long"));
    const take = (line: string) => {
      const message = parseRpc(tryParseJson(line));
      if (message === undefined) {
        if (line.trim() !== "") this.report(line);
      } else if (isRequest(message)) this.takeRequest(message, links, write);
      else if (isNotification(message)) {
        if (message.method === "notifications/progress")
          [...links].some((link) => link.takeProgress(message));
        else {
          const total = [...links].reduce((sum, link) => sum + link.requests, 0);
          for (const link of links) link.takeNotification(message, total === 1 && link.requests === 1);
        }
      } else if (message.id !== undefined && own.has(Number(message.id)))
        own.get(Number(message.id))?.(message);
      else [...links].some((link) => link.takeResponse(message));
    };
    // A client may be waiting for the message that was too large, so the program is killed and started again.
    readLines(child.stdout, MAX_MESSAGE, take, () => {
      this.report(`sent a message larger than ${MAX_MESSAGE / 1024 / 1024} MiB`);
      killProgram(child);
    });
    const ask = (method: string, params: RpcParams) =>
      new Promise<RpcResponse>((resolve) => {
        const id = this.nextId();
        own.set(id, (response) => {
          own.delete(id);
          resolve(response);
        });
        write(createRequest(id, method, params));
      });
    const timer = setTimeout(() => {
      this.report(`has not completed its handshake within ${HANDSHAKE_MS / 1000} s`);
      killProgram(child);
    }, HANDSHAKE_MS);
    try {
      const facts = await Promise.race([this.shakeHands(ask, write), failed]);
      return { facts, links, write, nextId: () => this.nextId() };
    } catch (error) {
      killProgram(child);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Handles a request from the program. The request names no client, so it is forwarded only if all running calls
   * belong to one client, and only if the configuration permits requests.
   */
  private takeRequest(
    message: RpcRequest,
    links: ReadonlySet<ProgramLink>,
    write: (message: RpcMessage) => void,
  ): void {
    if (message.method === "ping") {
      write(createResult(message.id, {}));
      return;
    }
    const [only, ...others] = this.program.sendsRequests
      ? [...links].filter(({ requests }) => requests > 0)
      : [];
    if (only !== undefined && others.length === 0 && only.takeRequest(message)) return;
    write(createError(message.id, RPC_ERRORS.methodNotFound, "No client accepts this request"));
  }

  /** Begins the session, or reads the facts of a program without sessions. */
  private async shakeHands(
    ask: (method: string, params: RpcParams) => Promise<RpcResponse>,
    write: (message: RpcMessage) => void,
  ): Promise<ServerFacts> {
    // All clients share the program, so the proxy announces capabilities that some of them lack. A request that no
    // client can serve fails.
    const capabilities: RpcParams = this.program.sendsRequests
      ? { sampling: {}, elicitation: {}, roots: {} }
      : {};
    const clientInfo = { name: "sallyport", version: this.parts.version };
    const params = { protocolVersion: LATEST_SESSION, capabilities, clientInfo };
    const { result } = await ask("initialize", params);
    if (result !== undefined) {
      write(createNotification("notifications/initialized"));
      return readServerFacts(result, { isStateless: false });
    }
    const client = { version: STATELESS, capabilities, info: clientInfo };
    const discovered = await ask("server/discover", withClientMeta(undefined, client));
    if (discovered.result !== undefined) return readServerFacts(discovered.result, { isStateless: true });
    throw new AppError("upstream_invalid", `it rejected the handshake: ${discovered.error?.message ?? ""}`);
  }

  private restart(ranMs: number): void {
    if (this.isStopped) return;
    this.failures = ranMs >= STABLE_MS ? 0 : this.failures + 1;
    const wait = Math.min(RESTART_MS * 2 ** Math.max(0, this.failures - 1), MAX_RESTART_MS);
    this.report(`starts again in ${wait / 1000} s`);
    this.running = new Promise((resolve, reject) => {
      this.timer = setTimeout(() => {
        this.running = this.start();
        this.running.then(resolve, reject);
      }, wait);
      this.timer.unref();
      const text = `The MCP server ${this.name} has ended, and starts again in ${wait / 1000} s`;
      if (wait > SHORT_MS) reject(new AppError("upstream_unreachable", text));
    });
    this.running.catch(() => {});
  }

  private report(text: string): void {
    this.parts.note(`mcp ${this.name}: ${text.slice(0, MAX_LOG_LINE)}`);
  }

  private nextId(): number {
    this.serial += 1;
    return this.serial;
  }
}
