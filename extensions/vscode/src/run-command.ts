import { execFile } from "node:child_process";

/** A live review that `sallyport` has opened or found. */
export interface StartedReview {
  readonly id: string;
  readonly url: string;
}

const START = ["review", "code", "--live", "--detach", "--reuse", "--no-open"];

/** Opens a live review of a folder's changes, or finds the one that is open. Rejects if `sallyport` fails. */
export function startReview(command: string, folder: string): Promise<StartedReview> {
  const { file, args, shell } = toProgram(command, START);
  return new Promise((resolve, reject) => {
    execFile(file, args, { cwd: folder, maxBuffer: 1024 * 1024, shell }, (error, stdout, stderr) => {
      const started = error ? undefined : parseStarted(stdout);
      if (started) resolve(started);
      else reject(new Error(error ? describe(command, error, stderr) : describeOutput(command)));
    });
  });
}

/**
 * Returns how to start a command. On Windows, npm installs a .cmd script, which only a shell can run. `args` must not
 * need quotes. Pure.
 */
export function toProgram(command: string, args: readonly string[], platform = process.platform) {
  if (platform !== "win32") return { file: command, args, shell: false };
  return { file: [`"${command}"`, ...args].join(" "), args: [], shell: true };
}

/** Returns the review that the command has printed; undefined if the output is anything else. */
function parseStarted(stdout: string): StartedReview | undefined {
  try {
    const { id, url } = JSON.parse(stdout) as Partial<StartedReview>;
    return id && url ? { id, url } : undefined;
  } catch {
    return undefined;
  }
}

function describeOutput(command: string): string {
  return `The output of "${command}" is not a review. Set sallyport.command to the path of sallyport, or update sallyport.`;
}

function describe(command: string, error: Error, stderr: string): string {
  if ("code" in error && error.code === "ENOENT")
    return `Cannot find the program "${command}". Install sallyport, or set sallyport.command to its path.`;
  return stderr.trim().split("\n")[0] || error.message;
}
