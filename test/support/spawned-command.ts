import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

export const COMMAND = resolve(import.meta.dirname, "../../dist/sallyport.js");

interface CommandOptions {
  readonly stdin?: string;
  /** Leaves stdin open for the whole test. */
  readonly stdinStaysOpen?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  /** A folder from `sandbox`, whose files several commands can share. */
  readonly folder?: string;
  /** The working directory, instead of the sandbox's `project`. */
  readonly cwd?: string;
  /** Leaves stdout unread until `readStdout`. */
  readonly unread?: boolean;
  /** Maximum KiB of a file, which simulates a full disk for larger files. */
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
  /** The exit code, with the whole output. */
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

/** A folder with the home directory, project and temporary folder for the commands of one test. */
export async function sandbox(): Promise<string> {
  const folder = await temporaryFolder();
  for (const name of ["home", "project", "tmp"]) await mkdir(join(folder, name));
  return folder;
}

/**
 * Starts the built command as an agent's hook would, in an isolated environment. The command is killed when the test
 * ends.
 */
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
  // The folder is removed next, so the command must not write to it any more.
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  // A command may end without reading its stdin.
  child.stdin.on("error", () => {}).write(options.stdin ?? "");
  if (!options.stdinStaysOpen) child.stdin.end();
  return watched(child, folder, options.unread ?? false);
}

function limited(
  { largestFile, descriptors }: CommandOptions,
  command: readonly string[],
): readonly string[] {
  // The shell's unit is a block of 512 bytes.
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
      // Not at its exit, because its last output may still be in transit then.
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
