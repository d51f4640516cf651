import type { Command } from "commander";
import { addHelpCommand } from "../../help.ts";
import type { Output } from "../../output.ts";
import type { SetExitCode } from "../../program.ts";
import type { KeyFlags } from "./keys.ts";
import type { TeamFlags } from "./teams.ts";
import type { UsageFlags } from "./usage.ts";

type KeyAction = "createKey" | "showKey" | "updateKey" | "rotateKey" | "revokeKey";
type TeamAction = "createTeam" | "showTeam" | "updateTeam" | "deleteTeam";

/** Adds the subcommands of `proxy keys`, which read and change the database whether or not a proxy runs. */
export function addKeyCommands(keys: Command, output: Output, setExitCode: SetExitCode): void {
  const run = (name: KeyAction) => async (key: string, flags: KeyFlags) => {
    const actions = await import("./keys.ts");
    setExitCode(await actions[name](key, flags, output));
  };
  withKeyFlags(shared(keys.command("create <name>")))
    .description("Create a key and print its secret, which is not stored")
    .action(run("createKey"));
  shared(keys.command("list"))
    .description("List the keys of the database and of the configuration")
    .action(async (flags: KeyFlags) => {
      const { listKeys } = await import("./keys.ts");
      setExitCode(await listKeys(flags, output));
    });
  shared(keys.command("show <name>")).description("Show a key, by name or id").action(run("showKey"));
  withRemovals(withKeyFlags(shared(keys.command("update <name>"))), [...KEY_MEMBERS, ...LIMIT_MEMBERS])
    .description("Change a key: its limits, models, MCP servers, team, tags, role, expiry or capture")
    .action(run("updateKey"));
  shared(keys.command("rotate <name>"))
    .description("Replace the secret of a key and print the new one")
    .option(
      "--grace <span>",
      "how long earlier secrets stay valid at most, such as 24h (default: not at all)",
    )
    .action(run("rotateKey"));
  shared(keys.command("revoke <name>"))
    .description("Revoke a key: calls with it are rejected")
    .action(run("revokeKey"));
  addHelpCommand(keys);
}

export function addTeamCommands(proxy: Command, output: Output, setExitCode: SetExitCode): void {
  const teams = proxy.command("teams").description("Create, change and list teams, whose keys share limits");
  const run = (name: TeamAction) => async (team: string, flags: TeamFlags) => {
    const actions = await import("./teams.ts");
    setExitCode(await actions[name](team, flags, output));
  };
  withLimitFlags(shared(teams.command("create <name>")))
    .description("Create a team")
    .action(run("createTeam"));
  shared(teams.command("list"))
    .description("List the teams")
    .action(async (flags: TeamFlags) => {
      const { listTeams } = await import("./teams.ts");
      setExitCode(await listTeams(flags, output));
    });
  shared(teams.command("show <name>")).description("Show a team").action(run("showTeam"));
  withRemovals(withLimitFlags(shared(teams.command("update <name>"))), LIMIT_MEMBERS)
    .description("Change limits and tags of a team")
    .action(run("updateTeam"));
  shared(teams.command("delete <name>"))
    .description("Delete a team that has no keys")
    .action(run("deleteTeam"));
  addHelpCommand(teams);
}

export function addUsageCommand(proxy: Command, output: Output, setExitCode: SetExitCode): void {
  shared(proxy.command("usage"))
    .description("Sum calls, tokens and cost by key, team, model, upstream, time or tag")
    .option("--since <when>", "a time span such as 7d, or a date (default: 30d)")
    .option("--until <when>", "a time span such as 1d, or a date (default: now)")
    .option("--by <groups>", "key, team, model, upstream, day, hour, minute or tag:NAME, separated by commas")
    .option("--csv", "as CSV", false)
    .action(async (flags: UsageFlags) => {
      const { showUsage } = await import("./usage.ts");
      setExitCode(await showUsage(flags, output));
    });
}

function shared(command: Command): Command {
  return command
    .option("--config <file>", "configuration file (default: the user's)")
    .option("--json", "as JSON", false);
}

function withKeyFlags(command: Command): Command {
  return withLimitFlags(command)
    .option("--team <name>", "the team whose limits the key shares")
    .option("--models <patterns>", "the models it may call, separated by commas; * matches any characters")
    .option("--mcp <patterns>", "the MCP servers or NAME/TOOL that it may use, separated by commas")
    .option("--expires <when>", "a time span from now such as 30d, or a date")
    .option("--role <role>", "user, metrics or admin (default: user)")
    .option(
      "--capture <calls>",
      "which bodies of its calls to keep: off, errors, all or default (the value of proxy.capture)",
    );
}

function withLimitFlags(command: Command): Command {
  return command
    .option("--rpm <number>", "requests a minute")
    .option("--tpm <number>", "tokens a minute")
    .option("--concurrency <number>", "calls in flight")
    .option("--budget <amount/period>", "US dollars a day, week, month or total, such as 20/day", collect)
    .option("--tag <name=value>", "a tag for usage reports; may be repeated", collect);
}

const LIMIT_MEMBERS = ["rpm", "tpm", "concurrency", "budget", "tag"];
const KEY_MEMBERS = ["team", "models", "mcp", "expires"];

/** Adds a flag such as `--no-rpm` for each member. The flag removes the member. */
function withRemovals(command: Command, members: readonly string[]): Command {
  for (const member of members) command.option(`--no-${member}`, `remove what --${member} sets`);
  return command;
}

/** Collects the values of a repeated flag; `values` is false after the flag that removes them. */
function collect(value: string, values: readonly string[] | false = []): readonly string[] {
  return [...(values || []), value];
}
