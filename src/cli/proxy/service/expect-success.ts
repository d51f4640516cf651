import { AppError } from "../../../errors.ts";
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
