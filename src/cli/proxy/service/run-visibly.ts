import { spawn } from "node:child_process";
import { AppError, systemErrorCode } from "../../../errors.ts";

/** Runs a program with the terminal of this process. Resolves to its exit code. Throws `service_failed`. */
export function runVisibly([program = "", ...args]: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
    // The terminal signals both processes. This process waits until the child ends.
    const ignore = () => {};
    process.on("SIGINT", ignore);
    child.once("error", (cause) => {
      process.off("SIGINT", ignore);
      reject(
        new AppError("service_failed", `Cannot run ${program}: ${getStartError(cause)}`, {
          cause,
          hint: `Install ${program}, or run the proxy in the background: sallyport proxy start --detach`,
        }),
      );
    });
    child.once("close", (code, signal) => {
      process.off("SIGINT", ignore);
      resolve(code ?? (signal === "SIGINT" ? 130 : 1));
    });
  });
}

function getStartError(error: Error): string {
  return systemErrorCode(error) === "ENOENT" ? "it is not installed" : error.message;
}
