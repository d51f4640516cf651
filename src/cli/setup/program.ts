import type { Command } from "commander";
import { listedIds, reviewedAgents } from "../../agents/registry.ts";
import type { Output } from "../output.ts";
import type { SetExitCode } from "../program.ts";
import type { DoctorFlags } from "./doctor/doctor.ts";
import type { InstallFlags } from "./install.ts";

/** Flags of `uninstall --all`. */
export interface UninstallAllFlags {
  readonly all: boolean;
  readonly data: boolean;
  readonly project: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

/** Adds `install`, `uninstall`, `plugin` and `doctor`. */
export function addInstallCommands(
  program: Command,
  output: Output,
  setExitCode: SetExitCode,
  uninstallAll: (flags: UninstallAllFlags) => Promise<number>,
): void {
  withWritingFlags(program.command("install"))
    .argument("[agent]", listedIds(reviewedAgents))
    .option("--list", "list the agents, and whether each is set up", false)
    .option("--json", "print {agent, files}; with --list, the agents", false)
    .option(
      "--live",
      "plans open as live reviews: each revised plan is the next round in the same tab",
      false,
    )
    .description("Make an agent send its plans for review: shows a diff, asks, keeps a backup")
    .action(async (agent: string | undefined, flags: InstallFlags) => {
      const { install } = await import("./install.ts");
      setExitCode(await install(agent, flags, output));
    });
  withWritingFlags(program.command("uninstall"))
    .argument("[agent]", listedIds(reviewedAgents))
    .option(
      "--all",
      "every hook and connection of every agent; without --project, also the service and running proxies",
      false,
    )
    .option("--data", "with --all, also the data directory: plans, decisions, keys, usage", false)
    .option("--json", "print {agent, files}; with --all, {removed}", false)
    .description("Remove the hook; restores files exactly if they have not changed since")
    .action(async (agent: string | undefined, flags: InstallFlags & UninstallAllFlags) => {
      if (flags.all && agent === undefined) return setExitCode(await uninstallAll(flags));
      const { uninstall } = await import("./install.ts");
      setExitCode(await uninstall(agent, flags, output));
    });
  addPlugin(program, output, setExitCode);
  addDoctor(program, output, setExitCode);
}

function addPlugin(program: Command, output: Output, setExitCode: SetExitCode): void {
  const plugin = program
    .command("plugin")
    .description("Packages that agents install with their own commands: plugins, extensions and skills");
  plugin
    .command("list")
    .description("List the packages, the agents that read them, and what each one gives")
    .option("--json", "as JSON", false)
    .action(async (flags: { json: boolean }) => {
      const { listPlugins } = await import("./plugin.ts");
      setExitCode(await listPlugins(flags, output));
    });
  plugin
    .command("export")
    .argument("[folder]", "where to write (default: plugins in the data directory)")
    .option("--json", "the folder and the commands that install from it, as JSON", false)
    .description("Write all packages to a folder, and print the commands that install them")
    .action(async (folder: string | undefined, flags: { json: boolean }) => {
      const { exportPlugins } = await import("./plugin.ts");
      setExitCode(await exportPlugins(folder, flags, output));
    });
}

function addDoctor(program: Command, output: Output, setExitCode: SetExitCode): void {
  program
    .command("doctor")
    .description("Check what works on this machine, and print how to fix the rest")
    .option("--config <file>", "configuration file (default: the user's)")
    .option("--env-file <file>", "set variables from this file, lines of the form NAME=value")
    .option("--json", "as JSON", false)
    .option("--report", "as Markdown for a bug report, without keys, names of users and home folders", false)
    .action(async (flags: DoctorFlags) => {
      const { doctor } = await import("./doctor/doctor.ts");
      setExitCode(await doctor(flags, output));
    });
}

function withWritingFlags(command: Command): Command {
  return command
    .option("--project", "for this repository only (default: for all your projects)", false)
    .option("--yes", "do not ask", false);
}
