import { type Command, Option } from "commander";
import { AppError } from "../../errors.ts";
import { addHelpCommand } from "../help.ts";
import type { Output } from "../output.ts";
import type { SetExitCode } from "../program.ts";
import type { ReviewCodeFlags } from "./code.ts";
import type { ReviewLastFlags } from "./last.ts";
import { addLiveCommands } from "./live/program.ts";
import type { ReviewPrFlags } from "./pr.ts";

/** Adds the `review` command and its subcommands. */
export function addReviewCommands(program: Command, output: Output, setExitCode: SetExitCode): void {
  const review = program.command("review").description("Review a plan or a diff in the browser");
  withLiveOptions(withReviewOptions(review.command("plan")))
    .argument("[file]", "the plan (default: stdin, as hook JSON, an envelope or Markdown)")
    .description("Review an agent's plan; prints the decision for the agent")
    .action(async (file: string | undefined, options: LiveFlags) => {
      if (options.detach) return setExitCode(await detach(options, output));
      // Without a file, a live review reads the plan from stdin, as hook JSON or an envelope.
      if (!options.live || ((file === undefined || file === "-") && !options.detached)) {
        const { reviewPlan } = await import("./plan.ts");
        return setExitCode(await reviewPlan(file, options, output));
      }
      const { reviewPlanLive } = await import("./live/live-plan.ts");
      setExitCode(await reviewPlanLive(file, options, output));
    });
  withLiveOptions(withReviewOptions(review.command("code")))
    .argument("[path...]", "limit the diff to these files and folders")
    .option("--repo <dir>", "the repository to review (default: the one of the working directory)")
    .option(
      "--reuse",
      "with --live --detach, without paths and --patch: use the newest live review of all changes, if one is open",
    )
    .option("--sarif <file>", "show the findings of a SARIF file, for example from a linter")
    .option("--patch <file>", "review a unified diff instead of a repository; - reads it from stdin")
    .description("Review the changes in a repository, or a patch; prints the feedback for the agent")
    .action(async (paths: string[], options: ReviewCodeFlags) => {
      if (options.detach) return setExitCode(await detach(options, output, paths));
      if (options.reuse) throw new AppError("usage", "--reuse needs --live --detach");
      const { reviewCode } = await import("./code.ts");
      setExitCode(await reviewCode(paths, options, output));
    });
  withLiveOptions(withReviewOptions(review.command("files")))
    .argument("[path...]", "the files and folders to review")
    .option("--against <path>", "compare with this folder or file; without it, all lines are shown as new")
    .option("--sarif <file>", "show the findings of a SARIF file, for example from a linter")
    .description("Review files and folders as they are, without version control; prints the feedback")
    .action(async (paths: string[], options: ReviewFilesFlags) => {
      if (options.detach) return setExitCode(await detach(options, output, paths));
      const { reviewFiles } = await import("./patch-sources.ts");
      setExitCode(await reviewFiles(paths, options, output));
    });
  withLiveOptions(withReviewOptions(review.command("pr")))
    .argument("[number|url]", "the pull or merge request (default: the one of the current branch)")
    .option(
      "--repo <dir>",
      "the clone whose remote a number belongs to (default: the one of the working directory)",
    )
    .description(
      "Review a pull request of GitHub, GitLab, Bitbucket or Azure DevOps; posts your review there",
    )
    .action(async (target: string | undefined, options: ReviewPrFlags) => {
      if (options.detach) return setExitCode(await detach(options, output));
      const { reviewPr } = await import("./pr.ts");
      setExitCode(await reviewPr(target, options, output));
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
  addLiveCommands(review, output, setExitCode);
  addHelpCommand(review);
}

async function detach(
  flags: LiveFlags & Partial<ReviewCodeFlags>,
  output: Output,
  paths: readonly string[] = [],
): Promise<number> {
  const { reviewDetached } = await import("./live/detach.ts");
  return reviewDetached({ ...flags, paths }, output);
}

export interface ReviewFilesFlags extends LiveFlags {
  readonly against?: string;
  readonly sarif?: string;
}

/** The flags that `review plan`, `review code`, `review files` and `review pr` share, as commander parses them. */
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
  readonly qr?: boolean;
}

/** The flags of a review that can stay open. */
export interface LiveFlags extends ReviewFlags {
  readonly live?: boolean;
  readonly detach?: boolean;
  readonly idle?: string;
  /** Hidden: set in the background process of a live review, which `--detach`, a hook or an MCP tool starts. */
  readonly detached?: boolean;
  /** Hidden: the name of the agent that opened the review. */
  readonly agent?: string;
  /** Hidden: the agent's session, for an agent whose input does not name it. */
  readonly agentSession?: string;
  /** Hidden: the project to which a plan outside of any repository belongs. */
  readonly project?: string;
}

function withLiveOptions(command: Command): Command {
  return command
    .option("--live", "keep the review open: the page sends feedback in batches, which `review wait` prints")
    .option("--detach", "with --live: return once the page can be opened, and print its id and URL")
    .option(
      "--idle <seconds>",
      "with --live: end after this time without a page or agent (default: 12 hours)",
    )
    .addOption(new Option("--detached").hideHelp())
    .addOption(new Option("--agent <name>").hideHelp())
    .addOption(new Option("--agent-session <id>").hideHelp())
    .addOption(new Option("--project <folder>").hideHelp());
}

function withReviewOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--origin <agent>",
        "the calling agent: claude-code, or opencode for all others (in the API: origin_a, origin_b)",
      ),
    )
    .option("--port <number>", "listen on this port (default: the same port each time for a repository)")
    .option(
      "--host <address>",
      "listen on this address (or tailnet) as well as loopback; anyone who reaches it can decide",
    )
    .option("--qr", "print a QR code of the URL for another device, with --host or in a Codespace", false)
    .option("--open", "open the browser (default, except in remote mode, and over SSH without BROWSER)", true)
    .option("--no-open", "do not open the browser; the URL is printed either way")
    .option("--json", "print the decision or feedback as JSON", false)
    .option("--timeout <seconds>", "exit with 124 after this time (default: no limit)")
    .option("--caller-waits <seconds>", "the caller's time limit; the page warns before it expires")
    .option("--exit-code", "exit with 10 when the person denies or gives feedback", false)
    .option("--ready-file <path>", "write {url, port, pid} to this file once listening");
}
