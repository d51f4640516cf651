import { type Command, Option } from "commander";
import { addHelpCommand } from "../help.ts";
import type { Output } from "../output.ts";
import type { SetExitCode } from "../program.ts";
import type { ReviewCodeFlags } from "./code.ts";
import type { ReviewLastFlags } from "./last.ts";

/** Adds the `review` command and its subcommands. */
export function addReviewCommands(program: Command, output: Output, setExitCode: SetExitCode): void {
  const review = program.command("review").description("Review a plan or a diff in the browser");
  withReviewOptions(review.command("plan"))
    .argument("[file]", "the plan (default: stdin, as hook JSON, an envelope or Markdown)")
    .description("Review an agent's plan; prints the decision for the agent")
    .action(async (file: string | undefined, options: ReviewFlags) => {
      const { reviewPlan } = await import("./plan.ts");
      setExitCode(await reviewPlan(file, options, output));
    });
  withReviewOptions(review.command("code"))
    .argument("[path...]", "limit the diff to these files and folders")
    .option("--repo <dir>", "the repository to review (default: the one of the working directory)")
    .description("Review the changes in a git repository; prints the feedback for the agent")
    .action(async (paths: string[], options: ReviewCodeFlags) => {
      const { reviewCode } = await import("./code.ts");
      setExitCode(await reviewCode(paths, options, output));
    });
  review
    .command("last")
    .description("Print the last decision on this project, for example if the agent missed it")
    .option("--json", "print the decision as JSON", false)
    .option("--all", "include the decisions of all projects", false)
    .action(async (options: ReviewLastFlags) => {
      const { reviewLast } = await import("./last.ts");
      setExitCode(await reviewLast(options, output));
    });
  addHelpCommand(review);
}

/** The flags that `review plan` and `review code` share, as commander parses them. */
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
    .addOption(
      new Option(
        "--origin <agent>",
        "the calling agent: claude-code, or opencode for all others (in the API: origin_a, origin_b)",
      ),
    )
    .option("--port <number>", "listen on this port (default: the same one each time per repository)")
    .option(
      "--host <address>",
      "listen on this address as well as loopback; anyone who reaches it can decide",
    )
    .option("--open", "open the browser (default, except over SSH and in remote mode)", true)
    .option("--no-open", "do not open the browser; the URL is printed either way")
    .option("--json", "print the decision or feedback as JSON", false)
    .option("--timeout <seconds>", "exit with 124 after this time (default: no limit)")
    .option("--caller-waits <seconds>", "the caller's time limit; the page warns before it expires")
    .option("--exit-code", "exit with 10 when the person denies or gives feedback", false)
    .option("--ready-file <path>", "write {url, port, pid} to this file once listening");
}
