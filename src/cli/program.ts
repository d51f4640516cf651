import { Command, type CommanderError, Option } from "commander";
import { addHelp } from "./help.ts";
import { addInstallCommands } from "./install/install-commands.ts";
import type { Output } from "./output.ts";
import { addProxyCommands } from "./proxy-program.ts";
import type { ReviewCodeFlags } from "./review/review-code.ts";
import { version } from "./version.ts";

/** Tells the caller of `run` how the process is to end. */
export type SetExitCode = (code: number) => void;

/**
 * The command tree. Actions load their module on use, so that `--help` and `--version` stay instant
 * and no command pays for another.
 */
export function createProgram(output: Output, setExitCode: SetExitCode): Command {
  const program = new Command("sallyport")
    .description(
      "The guarded door between you and your coding agents:\nreview plans and diffs in the browser, and proxy model calls.",
    )
    .version(version, "-v, --version", "print the version")
    .helpOption("-h, --help", "print this")
    .helpCommand("help [command]", "print the help of a command")
    .showHelpAfterError("Run with --help for the options.")
    // All that this command says of a failure begins alike.
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "sallyport: ")) });

  const review = program.command("review").description("Review a plan or a diff in the browser");
  withReviewOptions(review.command("plan"))
    .argument("[file]", "the plan; without it, stdin: hook JSON, an envelope, or plain Markdown")
    .description("Review an agent's plan; prints the decision for the agent")
    .action(async (file: string | undefined, options: ReviewFlags) => {
      const { reviewPlan } = await import("./review/review-plan.ts");
      setExitCode(await reviewPlan(file, options, output));
    });
  withReviewOptions(review.command("code"))
    .argument("[path...]", "limit the diff to these files and folders")
    .option("--repo <dir>", "the repository to review (default: the one of the working directory)")
    .description("Review the changes in a git repository; prints the feedback for the agent")
    .action(async (paths: string[], options: ReviewCodeFlags) => {
      const { reviewCode } = await import("./review/review-code.ts");
      setExitCode(await reviewCode(paths, options, output));
    });
  addInstallCommands(program, output, setExitCode);
  review
    .command("last")
    .description("Print the last decision on record: recovers what an agent missed")
    .option("--json", "print the decision as JSON", false)
    .action(async (options: { json: boolean }) => {
      const { reviewLast } = await import("./review/review-last.ts");
      setExitCode(await reviewLast(options, output));
    });
  addProxyCommands(program, output, setExitCode);
  addCompletion(program, output, setExitCode);
  addHelp(program);
  strict(program);
  return program;
}

function addCompletion(program: Command, output: Output, setExitCode: SetExitCode): void {
  program
    .command("completion")
    .argument("<shell>", "bash, zsh or fish")
    .description("Print the script that lets a shell complete commands, flags and agents")
    .action(async (shell: string) => {
      const { completion } = await import("./completion/completion.ts");
      setExitCode(await completion(shell, program, output));
    });
}

/** Flags shared by `review plan` and `review code`, as commander hands them over. */
export interface ReviewFlags {
  readonly origin?: string;
  readonly port?: string;
  readonly host?: string;
  readonly open: boolean;
  readonly json: boolean;
  readonly timeout?: string;
  readonly callerWaits?: string;
  readonly exitCode: boolean;
  readonly readyFile?: string;
}

function withReviewOptions(command: Command): Command {
  return command
    .addOption(new Option("--origin <agent>", "who calls: claude-code (origin_a) or opencode (origin_b)"))
    .option("--port <number>", "listen on this port (default: one that stays the same for a repository)")
    .option(
      "--host <address>",
      "listen on this address as well as loopback; anyone who reaches it can decide",
    )
    .option("--open", "open the browser (default, except over SSH and in remote mode)", true)
    .option("--no-open", "do not open the browser; the URL is printed either way")
    .option("--json", "print the decision as JSON", false)
    .option("--timeout <seconds>", "give up after this long, exit code 124 (default: wait)")
    .option(
      "--caller-waits <seconds>",
      "how long the caller itself waits; the page says so before it is over",
    )
    .option("--exit-code", "exit with 10 when the person denies or gives feedback", false)
    .option("--ready-file <path>", "write {url, port, pid} there once listening");
}

/** Errors are thrown, not exited on; unknown flags end with exit code 2 through `run`. */
function strict(command: Command): void {
  command.exitOverride((error: CommanderError) => {
    throw error;
  });
  for (const child of command.commands) strict(child);
}
