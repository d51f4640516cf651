import type { Command } from "commander";
import type { Output } from "../../output.ts";
import type { SetExitCode } from "../../program.ts";

/** Adds the commands that agents use with a live review. */
export function addLiveCommands(review: Command, output: Output, setExitCode: SetExitCode): void {
  const commands = () => import("./commands.ts");
  withId(review.command("wait"))
    .description("Wait for the person's feedback in a live review; prints it")
    .option("--timeout <seconds>", "exit with 124 after this time (default: no limit)")
    .option("--again", "print the last feedback again", false)
    .option("--json", "print the feedback as JSON", false)
    .action(async (flags: WaitFlags) => {
      const { waitCommand } = await import("./wait-for-batch.ts");
      setExitCode(await waitCommand(flags, output));
    });
  withId(review.command("comment"))
    .argument("<path:lines>", "for example src/a.ts:10 or src/a.ts:10-12")
    .description("Add a finding to a live review")
    .requiredOption("--text <text>", "the finding as Markdown; - reads it from stdin")
    .option("--severity <level>", "info, warning or error")
    .option("--author <name>", "your name, which the page shows")
    .option("--json", "print {thread}", false)
    .action(async (target: string, flags: CommentFlags) => {
      setExitCode(await (await commands()).commentCommand(target, flags, output));
    });
  withId(review.command("reply"))
    .argument("<thread>", "id of the thread, as `review wait` prints it")
    .description("Reply to a thread of a live review")
    .requiredOption("--text <text>", "the reply as Markdown; - reads it from stdin")
    .option("--resolve", "mark the thread as resolved by you", false)
    .option("--author <name>", "your name, which the page shows")
    .option("--json", "print {thread, resolved}", false)
    .action(async (thread: string, flags: MessageFlags) => {
      setExitCode(await (await commands()).messageCommand(thread, flags, output));
    });
  withId(review.command("refresh"))
    .description("Reload the diff or the plan of a live review as a new round")
    .option("--json", "print {round}", false)
    .action(async (flags: RefreshFlags) => {
      setExitCode(await (await commands()).refreshCommand(flags, output));
    });
  withId(review.command("status"))
    .description("Show the person what you are doing in a live review")
    .requiredOption("--text <text>", "one short line; empty removes it")
    .option("--author <name>", "your name, which the page shows")
    .option("--json", "print {review, status}", false)
    .action(async (flags: StatusFlags) => {
      setExitCode(await (await commands()).statusCommand(flags, output));
    });
  review
    .command("list")
    .description("List the reviews that are open on this machine")
    .option("--json", "print them as JSON", false)
    .action(async (flags: { readonly json: boolean }) => {
      setExitCode(await (await commands()).listCommand(flags, output));
    });
  withId(review.command("end"))
    .description("End a live review")
    .option("--json", "print {ended}", false)
    .action(async (flags: EndFlags) => {
      setExitCode(await (await commands()).endCommand(flags, output));
    });
}

export interface IdFlags {
  readonly id?: string;
}

export interface RefreshFlags extends IdFlags {
  readonly json: boolean;
}

export type EndFlags = RefreshFlags;

export interface WaitFlags extends IdFlags {
  readonly timeout?: string;
  readonly again: boolean;
  readonly json: boolean;
}

export interface CommentFlags extends IdFlags {
  readonly text: string;
  readonly severity?: string;
  readonly author?: string;
  readonly json: boolean;
}

export interface MessageFlags extends IdFlags {
  readonly text: string;
  readonly resolve: boolean;
  readonly author?: string;
  readonly json: boolean;
}

export interface StatusFlags extends IdFlags {
  readonly text: string;
  readonly author?: string;
  readonly json: boolean;
}

function withId(command: Command): Command {
  return command.option("--id <id>", "the review (default: the only live one of this repository)");
}
