import type { Command } from "commander";
import { AppError } from "../errors.ts";

/**
 * Text printed after a command's flags, by full command name. Lines that begin with a space are not wrapped, so they
 * must fit into 80 columns.
 */
export const moreHelp: Readonly<Record<string, string>> = {
  sallyport: `
Examples:
  sallyport init                 set up what is on this machine
  sallyport install claude-code  review every plan that Claude Code makes
  sallyport review code          review uncommitted changes
  sallyport proxy start          serve every model at one address
  sallyport doctor               find out why something does not work
  sallyport docs                 list the pages of the documentation

Every command has --help.`,
  "sallyport docs": `
Examples:
  sallyport docs
  sallyport docs troubleshoot
  sallyport docs reference/proxy | less`,
  "sallyport init": `
Examples:
  sallyport init
  sallyport init --dry-run      show the changes, and write nothing
  sallyport init --yes          only the hooks of agents
  sallyport init --yes --proxy  also the proxy, as a service
  sallyport init --yes --proxy --env-file ~/.config/sallyport/.env

An agent is connected to the proxy only if an upstream has one of its dialects. Without a terminal, --yes or --dry-run is required. To undo: sallyport uninstall --all.

Exit codes:
  0      no step failed
  2      no terminal and no --yes: nothing was written
  130    Ctrl-C at a question
  other  that of the first failed step; steps that do not need it were tried`,
  "sallyport review": `
A page opens in the browser. Drafts are saved while you type; your decision is printed on stdout.`,
  "sallyport review plan": `
Examples:
  sallyport review plan PLAN.md
  sallyport review plan PLAN.md --json --exit-code && ./apply.sh
  echo '{"plan": "# Plan", "origin": "opencode"}' | sallyport review plan

Environment:
  SERVICE_PORT, SERVICE_HOST  as --port and --host
  SERVICE_ORIGIN              as --origin; --origin and the input override it
  SERVICE_REMOTE              1: remote machine; port 19432, opens no browser
  SERVICE_SHARE               0: no sharing by link or file
  SERVICE_BROWSER             command that opens the URL, or none

Exit codes:
  0      a decision was delivered, or there was nothing to review
  1      another error: nothing was decided, or the decision was not printed
  2      invalid flags, environment or configuration; empty or unreadable plan
  3      the port is not available
  10     denied, with --exit-code
  124    --timeout passed
  128+n  ended by signal n`,
  "sallyport review code": `
Examples:
  sallyport review code           uncommitted changes; the page offers others
  sallyport review code src docs  only these paths
  sallyport review code --repo ../shop --json
  git diff main | sallyport review code --patch -

In a repository of jj or Sapling, jj diff or sl diff makes the diff.

Environment and exit codes: as in review plan; 10 means feedback; 4 means that there is no repository, or that git, jj or sl is missing or failed.`,
  "sallyport review files": `
Examples:
  sallyport review files src README.md        all lines are shown as new
  sallyport review files new --against old    compares two folders

Folders of version control and node_modules are left out. Environment and exit codes: as in review plan; 10 means feedback.`,
  "sallyport review last": `
Examples:
  sallyport review last         the text for the agent
  sallyport review last --json  the decision as JSON
  sallyport review last --all   the last decision of any project

The time, subject and agent of the decision are printed on stderr. Exit code 1: no decision is recorded.`,
  "sallyport run": `
Examples:
  sallyport run claude-code
  sallyport run codex exec "fix the tests"
  sallyport run --config work.jsonc gemini-cli -m gemini-3-pro

Does not change the agent's settings: only this process uses the proxy. Flags of Sallyport come before the agent's name, arguments of the agent after it.`,
  "sallyport install": `
Examples:
  sallyport install --list           agents, and whether each is set up
  sallyport install claude-code      for you, in every project
  sallyport install codex --project  for the repository of the working directory

The changes are shown before they are written. Without a terminal, --yes is required.`,
  "sallyport uninstall": `
Example:
  sallyport uninstall claude-code`,
  "sallyport plugin": `
Examples:
  sallyport plugin list
  sallyport plugin export             write the packages, and print the commands
  sallyport plugin export ./packages

Set up each agent once, by a package or by install: with both, each plan opens twice.`,
  "sallyport doctor": `
Checks Node.js, git, the browser, folders, ports, the configuration, upstreams and agents. The command creates only the data directory. Exit code 1: a check failed.`,
  "sallyport proxy": `
Examples:
  sallyport proxy start                with API keys from the environment
  sallyport proxy connect claude-code  configure an agent to use the proxy
  sallyport proxy check                print the configuration in force

Environment variables with API keys: ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or GOOGLE_API_KEY, OPENROUTER_API_KEY.`,
  "sallyport proxy start": `
Examples:
  sallyport proxy start
  sallyport proxy start --config work.jsonc --port 9000
  sallyport proxy start --workers auto  one process per core
  sallyport proxy start --detach        in the background
  sallyport proxy start --json          print {url, port, pid} once it serves
  sallyport proxy start --env-file .env
  ANTHROPIC_BASE_URL=http://localhost:8045 claude

SIGHUP, or saving the configuration file, reloads it. SIGTERM stops the proxy once running calls have finished, or after proxy.drain_timeout.

Exit codes:
  0      stopped
  1      internal error, or worker processes ended repeatedly
  2      invalid flags, environment or configuration
  3      the address or port is not available
  128+n  ended by a second signal n before its calls were complete`,
  "sallyport proxy status": `
Exit codes:
  0  a proxy runs
  3  no proxy runs`,
  "sallyport proxy stop": `
Running calls may finish within proxy.drain_timeout (30 seconds by default).`,
  "sallyport proxy restart": `
The new process takes over the listening socket, so no connection is refused. The old process ends when all calls on its connections have ended. If the new process cannot start, the old one continues. With --workers, on Windows and as a service of launchd, the old process stops listening before the new one listens: connections are refused in between, and the old process may not continue.`,
  "sallyport proxy logs": `
Examples:
  sallyport proxy logs --follow
  sallyport proxy logs --json --lines 1000 | jq .model`,
  "sallyport proxy service": `
Examples:
  sallyport proxy service install
  sallyport proxy service install --env-file ~/.config/sallyport/.env
  sallyport proxy service status
  sallyport proxy service logs --follow
  sallyport proxy service uninstall

A service does not inherit the variables of your shell. Put API keys into a file for --env-file, or name their source in the configuration.`,
  "sallyport proxy service install": `
The file is shown before it is written. Without a terminal, --yes is required.`,
  "sallyport keychain": `
Examples:
  sallyport keychain set anthropic
  pass show anthropic | sallyport keychain set anthropic

In the configuration:
  "api_key": {"keychain": "anthropic"}`,
  "sallyport upgrade": `
Examples:
  sallyport upgrade --check
  sallyport upgrade --yes

No other command contacts npm's registry. If you did not install with npm install --global, install the new version as you installed this one, then run sallyport proxy restart.`,
  "sallyport proxy check": `
Examples:
  sallyport proxy check --config work.jsonc
  sallyport proxy check --json-schema > schema.json  for an editor

Starts nothing. Exit code 2, with file and line: the configuration is invalid.`,
  "sallyport proxy models": `
Clients request a model by its name, or as upstream/model.`,
  "sallyport proxy connect": `
Examples:
  sallyport proxy connect claude-code
  eval "$(sallyport proxy connect openai --print)"

For OpenCode, Kilo, Cline CLI and pi the proxy must be running, because their settings list its models.`,
  "sallyport proxy disconnect": `
Example:
  sallyport proxy disconnect claude-code`,
  "sallyport proxy keys": `
Example:
  sallyport proxy keys --new laptop  prints the key, and its digest`,
  "sallyport completion": `
In ~/.bashrc:
  eval "$(sallyport completion bash)"

In ~/.zshrc, after compinit:
  eval "$(sallyport completion zsh)"

For fish, once:
  sallyport completion fish > ~/.config/fish/completions/sallyport.fish

In PowerShell's $PROFILE:
  sallyport completion powershell | Out-String | Invoke-Expression`,
};

/**
 * Adds the texts of `moreHelp` to the command and its subcommands, and hides commander's notes on default values. Call
 * it after all subcommands have been added.
 */
export function addHelp(command: Command, above = ""): void {
  const path = `${above} ${command.name()}`.trim();
  const more = moreHelp[path];
  if (more) command.addHelpText("after", () => wrapped(more, command));
  command.configureHelp({
    optionDescription(option) {
      // "(default: false)" is not useful for a flag without a value.
      return option.description;
    },
  });
  for (const child of command.commands) addHelp(child, path);
}

function wrapped(text: string, command: Command): string {
  const width = command.configureOutput().getOutHelpWidth?.() ?? 80;
  const help = command.createHelp();
  return text
    .split("\n")
    .map((line) => (line.startsWith(" ") ? line : help.boxWrap(line, width)))
    .join("\n");
}

/**
 * Adds `help [command...]` to a command with subcommands. Commander's built-in help command accepts a single word,
 * and prints the whole help without an error for an unknown one.
 */
export function addHelpCommand(command: Command): void {
  command
    .helpCommand(false)
    .command("help")
    .argument("[command...]")
    .description("Print the help of a command")
    .action((names: string[]) => names.reduce(commandBelow, command).outputHelp());
}

function commandBelow(command: Command, name: string): Command {
  const known = command.createHelp().visibleCommands(command);
  const found = known.find((child) => child.name() === name);
  if (found) return found;
  throw new AppError("usage", `unknown command '${name}'`, {
    hint: known.length > 0 ? `Known commands: ${known.map((child) => child.name()).join(", ")}.` : "",
  });
}
