import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

export const COMMAND = resolve(import.meta.dirname, "../../dist/sallyport.js");

interface CommandOptions {
  readonly stdin?: string;
  /** Whoever writes to stdin has not ended yet, and never will. */
  readonly stdinStaysOpen?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  /** A folder from `sandbox`, to share what lies in it between commands. */
  readonly folder?: string;
  /** Where the command runs, instead of the sandbox's `project`. */
  readonly cwd?: string;
  /** Leaves stdout unread until `readStdout`. */
  readonly unread?: boolean;
  /** KiB that no file may exceed: a disk that is full for everything larger. */
  readonly largestFile?: number;
  /** Files that the command, and each process it starts, may have open. */
  readonly descriptors?: number;
}

export interface SpawnedCommand {
  readonly child: ChildProcess;
  readonly folder: string;
  readonly stderr: () => string;
  readonly stdout: () => string;
  readStdout(): void;
  /** The end, with all that was printed. */
  readonly ended: Promise<{
    code: number | null;
    signal: NodeJS.Signals | null;
    stdout: string;
    stderr: string;
  }>;
  /** Resolves once stderr matches. */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray>;
  /** The URL of a review, once it is printed. */
  url(): Promise<string>;
  post(path: string, body: object): Promise<{ status: number; body: unknown }>;
}

/** A folder with home, project and temporary folder for commands of one test. */
export async function sandbox(): Promise<string> {
  const folder = await temporaryFolder();
  for (const name of ["home", "project", "tmp"]) await mkdir(join(folder, name));
  return folder;
}

/** Starts the built command as an agent's hook would, in an environment of its own; killed when the test is over. */
export async function startCommand(
  args: readonly string[],
  options: CommandOptions = {},
): Promise<SpawnedCommand> {
  const folder = options.folder ?? (await sandbox());
  const command = [process.execPath, COMMAND, ...args];
  const [program = "", ...rest] = limited(options, command);
  const child = spawn(program, rest, {
    cwd: options.cwd ?? join(folder, "project"),
    env: {
      PATH: process.env["PATH"],
      HOME: join(folder, "home"),
      TMPDIR: join(folder, "tmp"),
      SERVICE_HOME: join(folder, "data"),
      BROWSER: "none",
      ...options.environment,
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  // Its folder goes next, and it must not write there any more.
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  // A command that ends without reading its stdin is no error here.
  child.stdin.on("error", () => {}).write(options.stdin ?? "");
  if (!options.stdinStaysOpen) child.stdin.end();
  return watched(child, folder, options.unread ?? false);
}

function limited(
  { largestFile, descriptors }: CommandOptions,
  command: readonly string[],
): readonly string[] {
  // The shell counts in blocks of 512 bytes.
  if (largestFile) return ["sh", "-c", 'ulimit -f "$0"; exec "$@"', String(largestFile * 2), ...command];
  if (descriptors) return ["sh", "-c", 'ulimit -n "$0"; exec "$@"', String(descriptors), ...command];
  return command;
}

function watched(
  child: ReturnType<typeof spawn> & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream },
  folder: string,
  unread: boolean,
): SpawnedCommand {
  const printed = { stdout: "", stderr: "" };
  const collect = (name: "stdout" | "stderr") =>
    child[name].setEncoding("utf8").on("data", (text) => {
      printed[name] += text;
    });
  collect("stderr");
  if (!unread) collect("stdout");
  let isOver = false;
  const ended = once(child, "close").then(([code, signal]) => {
    isOver = true;
    return { code, signal, ...printed };
  });
  const waitForOutput = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const match = pattern.exec(printed.stderr);
      if (match) return match;
      // Not when it exits: what it has said last may still be on its way then.
      if (isOver) throw new Error(`ended without saying ${pattern}: ${printed.stderr}`);
      await Promise.race([once(child.stderr, "data"), ended]);
    }
  };
  const url = async () => (await waitForOutput(/http:\/\/localhost:\d+/))[0];
  return {
    child,
    folder,
    stderr: () => printed.stderr,
    stdout: () => printed.stdout,
    readStdout: () => void collect("stdout"),
    ended,
    waitForOutput,
    url,
    async post(path, body) {
      const response = await fetch(`${await url()}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: await response.json() };
    },
  };
}
