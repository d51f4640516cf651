import { spawn } from "node:child_process";
import { once } from "node:events";

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin?: string;
  /** Called once, with the first address of this machine that is printed on stderr. */
  readonly onUrl?: (url: string) => unknown;
}

/** Runs a program until it ends. Its name is looked up in the PATH of `env`, as a shell does. */
export async function runProgram(
  [program = "", ...args]: readonly string[],
  { cwd, env, stdin = "", onUrl }: RunOptions,
): Promise<Ended> {
  const child = spawn(program, args, { cwd, env });
  const printed = { stdout: "", stderr: "" };
  let url: string | undefined;
  child.stdout.setEncoding("utf8").on("data", (text) => {
    printed.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    printed.stderr += text;
    if (url !== undefined) return;
    url = /http:\/\/localhost:\d+(?=\s)/.exec(printed.stderr)?.[0];
    if (url !== undefined) onUrl?.(url);
  });
  // A command may end without reading its stdin.
  child.stdin.on("error", () => {}).end(stdin);
  const [code] = await once(child, "close");
  return { code, ...printed };
}

/** Denies the plan of the review at `url` with this feedback. */
export async function deny(url: string, feedback: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(new URL("/api/deny", url), {
    method: "POST",
    headers,
    body: JSON.stringify({ feedback, annotations: [] }),
  });
  if (!response.ok) throw new Error(`/api/deny: ${response.status} ${await response.text()}`);
}
