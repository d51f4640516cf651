// Real Redis and PostgreSQL servers in temporary folders on free ports, ended by process id.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPostgresData, findServer } from "../../scripts/servers.mjs";
import { quietPort } from "./quiet-port.ts";

/** A server that tests can stop and start again. */
interface Server {
  readonly port: number;
  start(): Promise<void>;
  /** Ends the process with a signal and waits for its end. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Ends the process and removes its data. */
  remove(): Promise<void>;
}

export interface RedisServer extends Server {
  readonly url: string;
}

export interface PostgresServer extends Server {
  readonly password: string;
  /** Creates a database, empty or a copy of another one, and returns its URL. */
  createDatabase(template?: string): Promise<string>;
  /** Runs a statement in a database and returns its rows. */
  query(text: string, database?: string): Promise<Record<string, unknown>[]>;
}

/** Starts a Redis server without persistence: after `stop` and `start` it is empty. */
export async function startRedis(): Promise<RedisServer> {
  const { folder: bin, env } = findServer("redis");
  const folder = mkdtempSync(join(tmpdir(), "sallyport-redis-"));
  const port = await quietPort();
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
  const program = createProgram([join(bin, "redis-server"), ...args], { env }, /Ready to accept/);
  await program.start();
  return {
    ...program,
    port,
    url: `redis://127.0.0.1:${port}`,
    stop: (signal = "SIGKILL") => program.stop(signal),
    async remove() {
      await program.stop("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a PostgreSQL server with a password and no databases of ours. Its data survives `stop` and `start`. */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-postgres-"));
  const password = `pg-canary-${process.pid}-${randomUUID()}`;
  const { command, options } = createPostgresData(folder, password, ["--no-sync"]);
  // After the data is created, which takes seconds.
  const port = await quietPort();
  const args = ["-p", String(port), "-c", "fsync=off"];
  const program = createProgram([...command, ...args], options, /ready to accept connections/);
  await program.start();
  const urlOf = (database: string) => `postgres://sally:${password}@127.0.0.1:${port}/${database}`;
  const query = async (text: string, database = "postgres") => {
    const { default: pg } = await import("pg");
    const client = new pg.Client({ connectionString: urlOf(database) });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  };
  let databases = 0;
  return {
    ...program,
    port,
    password,
    query,
    // Its fast shutdown.
    stop: (signal = "SIGINT") => program.stop(signal),
    async createDatabase(template = "template0") {
      databases += 1;
      const name = `d${databases}`;
      await query(`create database ${name} template ${template}`);
      return urlOf(name);
    },
    async remove() {
      // Its immediate shutdown.
      await program.stop("SIGQUIT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface ProgramOptions {
  env: Record<string, string | undefined>;
  uid?: number;
  gid?: number;
  cwd?: string;
}

/** Returns a program that is ready once it prints `ready`. */
function createProgram(argv: [string, ...string[]], options: ProgramOptions, ready: RegExp) {
  const [command, ...args] = argv;
  let child: ChildProcess | undefined;
  const kill = () => child?.kill("SIGQUIT");
  return {
    async start(): Promise<void> {
      const started = spawn(command, args, {
        ...options,
        env: { ...process.env, ...options.env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      child = started;
      process.on("exit", kill);
      let output = "";
      await new Promise<void>((resolve, reject) => {
        const read = (text: Buffer) => {
          output = (output + text).slice(-2_000);
          if (ready.test(output)) resolve();
        };
        started.stdout?.on("data", read);
        started.stderr?.on("data", read);
        started.once("error", reject);
        started.once("close", () => reject(new Error(`${command} did not start: ${output}`)));
      });
    },
    async stop(signal: NodeJS.Signals): Promise<void> {
      process.off("exit", kill);
      const running = child;
      child = undefined;
      if (!running || running.exitCode !== null || running.signalCode !== null) return;
      const ended = new Promise((resolve) => running.once("close", resolve));
      running.kill(signal);
      await ended;
    },
  };
}
