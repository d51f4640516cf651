import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

export const root = resolve(import.meta.dirname, "../../..");
export const sallyport = [process.execPath, join(root, "dist/sallyport.js")] as const;

/** An isolated environment for one agent: an empty home directory, a repository, and few variables. */
export interface Bench {
  readonly home: string;
  readonly repository: string;
  /** The port on which the plan's review listens. */
  readonly reviewUrl: string;
  readonly environment: Record<string, string>;
  /** Programs that `stop` ends, by the function that ends them. */
  readonly running: (() => void)[];
  /** Kills all running programs (SIGKILL), so that they cannot notify their hooks. */
  stop(): void;
}

let nextPort = 21_000;

/** Removed when the test ends. */
export async function createBench(variables: Readonly<Record<string, string>> = {}): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-live-"));
  onTestFinished(async () => {
    await endDetached(join(folder, "data", "running"));
    // Codex CLI installs a server in its home and leaves it running after its terminal was closed.
    spawnSync("pkill", ["-KILL", "-f", folder]);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  const home = join(folder, "home");
  const repository = join(folder, "repository");
  await mkdir(home);
  await promisify(execFile)("git", ["init", "-q", "-b", "main", repository]);
  nextPort += 1;
  const running: (() => void)[] = [];
  return {
    running,
    stop: () => {
      for (const kill of running) kill();
    },
    home,
    repository,
    reviewUrl: `http://127.0.0.1:${nextPort}`,
    environment: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      TERM: "dumb",
      LANG: "C.UTF-8",
      NO_COLOR: "1",
      SERVICE_HOME: join(folder, "data"),
      SERVICE_BROWSER: "none",
      SERVICE_PORT: String(nextPort),
      ...variables,
    },
  };
}

/** Ends live reviews that run in the background, by their running files. */
async function endDetached(runningFolder: string): Promise<void> {
  for (const name of await readdir(runningFolder).catch(() => [])) {
    const { pid } = JSON.parse(await readFile(join(runningFolder, name), "utf8"));
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // The process has already ended.
    }
  }
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly input?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** Whether the started process is only a launcher: the bench's `stop` then kills the process that it has started. */
  readonly isLauncher?: boolean;
}

/** Runs a program in the bench's repository until it ends. It is killed when the test ends. */
export function run(
  bench: Bench,
  argv: readonly string[],
  { input = "", variables = {}, isLauncher = false }: RunOptions = {},
): Promise<Ended> {
  const [program = "", ...args] = argv;
  const child = spawn(program, args, {
    cwd: bench.repository,
    env: { ...bench.environment, ...variables },
    detached: true,
  });
  bench.running.push(() => {
    if (isLauncher) execFileSync("pkill", ["-KILL", "-P", String(child.pid)]);
    else child.kill("SIGKILL");
  });
  onTestFinished(() => {
    try {
      if (child.pid) process.kill(-child.pid, "SIGKILL");
    } catch {
      // The process has already ended.
    }
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return new Promise((done, failed) => {
    child.on("error", failed);
    child.on("close", (code) => done({ code, stdout, stderr }));
  });
}

/** Runs the real installer, as a person would. */
export async function install(bench: Bench, agent: string, ...flags: readonly string[]): Promise<void> {
  const { code, stderr } = await run(bench, [...sallyport, "install", agent, "--yes", ...flags]);
  if (code !== 0) throw new Error(`install ${agent} ended with ${code}:\n${stderr}`);
}
