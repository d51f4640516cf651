import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeEach } from "vitest";
import { makeDataDirectory } from "./compiled-command.ts";

const COMMAND = resolve(import.meta.dirname, "../../dist/sallyport.js");

/** A separate home directory for the command: data, configuration, uploads. */
export interface Home {
  readonly path: string;
  remove(): Promise<void>;
}

export async function makeHome(): Promise<Home> {
  const path = await mkdtemp(join(tmpdir(), "sallyport-e2e-"));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 20 }) };
}

/** Makes a home directory for a test file, which is removed after its tests. */
export async function makeHomeForFile(): Promise<Home> {
  const home = await makeHome();
  afterAll(() => home.remove());
  return home;
}

/** Makes a home directory before each test of a file and removes it after the test, because drafts are kept in it. */
export function makeHomeForEachTest(): Home {
  let home: Home | undefined;
  beforeEach(async () => {
    home = await makeHome();
  });
  afterEach(() => home?.remove());
  return {
    get path() {
      if (home === undefined) throw new Error("The home directory exists only during a test.");
      return home.path;
    },
    remove: async () => home?.remove(),
  };
}

/** The built command while it waits for a decision. */
export interface RunningReview {
  readonly url: string;
  readonly child: ChildProcess;
  /** The text on stdout and the exit code, once the command has ended. */
  readonly ended: Promise<{ readonly stdout: string; readonly stderr: string; readonly code: number | null }>;
}

/** Starts `review plan` with `input` on stdin, as an agent's hook does, and waits until the page can be opened. */
export async function startReview(
  home: Home,
  input: string,
  flags: readonly string[] = [],
): Promise<RunningReview> {
  await makeDataDirectory(join(home.path, "data"));
  const ready = join(home.path, `ready-${Math.random().toString(36).slice(2)}.json`);
  const child = spawn(
    process.execPath,
    [COMMAND, "review", "plan", "--no-open", "--ready-file", ready, ...flags],
    {
      cwd: home.path,
      env: {
        PATH: process.env["PATH"],
        HOME: home.path,
        TMPDIR: home.path,
        SERVICE_HOME: join(home.path, "data"),
      },
    },
  );
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<{ stdout: string; stderr: string; code: number | null }>((done) => {
    child.once("close", (code) => done({ stdout, stderr, code }));
  });
  child.stdin.end(input);
  return { url: await urlFrom(ready, child, () => stderr), child, ended };
}

/** The event that Claude Code sends to its hook for a plan. */
export function hookEvent(plan: string, cwd: string): string {
  return JSON.stringify({
    session_id: "0b8f5f8e",
    transcript_path: "/dev/null",
    cwd,
    permission_mode: "plan",
    hook_event_name: "PermissionRequest",
    tool_name: "ExitPlanMode",
    tool_input: { plan },
  });
}

async function urlFrom(path: string, child: ChildProcess, stderr: () => string): Promise<string> {
  for (;;) {
    const text = await readFile(path, "utf8").catch(() => "");
    if (text !== "") return String(JSON.parse(text).url);
    if (child.exitCode !== null) throw new Error(`the review ended before it could be opened: ${stderr()}`);
    await new Promise((done) => setTimeout(done, 25));
  }
}
