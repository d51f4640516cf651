import { spawn } from "node:child_process";
import { AppError, systemErrorCode } from "../../../errors.ts";
import type { CommandResult, RunCommand } from "../../run-command.ts";

/** Runs a command. Throws `service_failed` with the command's error output if it fails. */
export async function expectSuccess(
  run: RunCommand,
  program: string,
  args: readonly string[],
): Promise<CommandResult> {
  const result = await run(program, args);
  if (result.code === 0) return result;
  const reason =
    result.code === undefined
      ? `${program} is not installed`
      : (result.stderr || result.stdout).trim() || `exit code ${result.code}`;
  throw new AppError("service_failed", `${[program, ...args].join(" ")} failed: ${reason}`, {
    hint: "Without a service manager, run the proxy in the background: sallyport proxy start --detach",
  });
}

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
