import { execFile } from "node:child_process";

/** A live review that `sallyport` has opened or found. */
export interface StartedReview {
  readonly id: string;
  readonly url: string;
}

/** Opens a live review of a folder's changes, or finds the one that is open. Rejects if `sallyport` fails. */
export function startReview(command: string, folder: string): Promise<StartedReview> {
  const args = ["review", "code", "--live", "--detach", "--reuse", "--no-open"];
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd: folder, maxBuffer: 1024 * 1024 }, (error, stdout, stderr) => {
      if (error) reject(new Error(describe(command, error, stderr)));
      else resolve(JSON.parse(stdout) as StartedReview);
    });
  });
}

function describe(command: string, error: Error, stderr: string): string {
  if ("code" in error && error.code === "ENOENT")
    return `Cannot find the program "${command}". Install sallyport, or set sallyport.command to its path.`;
  return stderr.trim().split("\n")[0] || error.message;
}
