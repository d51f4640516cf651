import type { Command } from "commander";
import { AppError } from "../errors.ts";

/**
 * What stands beneath a command's flags: examples first, since they are what people copy. By the command's whole name.
 * Lines that begin with a blank stay as they are, so they fit into 80 columns; the others are wrapped.
 */
export const moreHelp: Readonly<Record<string, string>> = {
  sallyport: `
Examples:
  sallyport install claude-code  review every plan of Claude Code from now on
  sallyport review code          review what has changed here, uncommitted
  sallyport proxy start          one address for every model, no keys needed
  sallyport doctor               when something does not work

Every command has a --help of its own. The guides lie in the folder docs of the source and of the package.`,
  "sallyport review": `
A page opens in the browser. What you type there is kept, whatever happens; your decision is printed on stdout.`,
  "sallyport review plan": `
Examples:
  sallyport review plan PLAN.md
  sallyport review plan PLAN.md --json --exit-code && ./apply.sh
  echo '{"plan": "# Plan", "origin": "opencode"}' | sallyport review plan

Environment:
  SERVICE_PORT, SERVICE_HOST  as --port and --host
  SERVICE_ORIGIN              as --origin; --origin and the input go before it
  SERVICE_REMOTE              1: you sit elsewhere; port 19432, opens nothing
  SERVICE_SHARE               0: no links that carry the plan
  SERVICE_BROWSER             the program that gets the URL; none opens nothing

Exit codes:
  0      a decision was delivered, or there was nothing to review
  1      something went wrong inside; nothing was decided
  2      wrong flags or environment, an empty or unreadable plan
  3      the port could not be had
  10     denied, with --exit-code
  124    --timeout passed
  128+n  signal n ended it`,
  "sallyport review code": `
Examples:
  sallyport review code           what is not committed; the page offers others
  sallyport review code src docs  only what is below these
  sallyport review code --repo ../shop --json

Environment and exit codes: as in review plan; 10 means that there was feedback, 4 that there is no git repository or no git.`,
  "sallyport review last": `
Examples:
  sallyport review last         as the agent was to read it
  sallyport review last --json  to take it apart
  sallyport review last --all   the last one of all folders

When, on what and for whom it was decided goes to stderr. Exit code 1 where no decision is on record.`,
  "sallyport install": `
Examples:
  sallyport install --list           the agents there are, and which are set up
  sallyport install claude-code      for you, in every project
  sallyport install codex --project  for the repository you are in

What is written, file by file, is shown before anything is; without a terminal to ask in, --yes is needed.`,
  "sallyport uninstall": `
Example:
  sallyport uninstall claude-code`,
  "sallyport doctor": `
It looks at Node.js, git, the browser, folders, ports, the configuration, upstreams and agents; the data directory is the only thing that it makes. Exit code 1 where something is broken.`,
  "sallyport proxy": `
Examples:
  sallyport proxy start                takes keys from the environment
  sallyport proxy connect claude-code  points an agent at it
  sallyport proxy check                what is configured, and where

Variables that hold keys: ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or GOOGLE_API_KEY, OPENROUTER_API_KEY.`,
  "sallyport proxy start": `
Examples:
  sallyport proxy start
  sallyport proxy start --config work.jsonc --port 9000
  sallyport proxy start --workers auto  where one core is full: one process each
  ANTHROPIC_BASE_URL=http://localhost:8045 claude

SIGHUP, or saving the configuration file, reads it again; SIGTERM lets running answers end.

Exit codes:
  0  it was stopped
  1  something went wrong inside, or --workers end again and again
  2  wrong flags, environment or configuration
  3  the address or port could not be had`,
  "sallyport proxy check": `
Examples:
  sallyport proxy check --config work.jsonc
  sallyport proxy check --json-schema > schema.json  for an editor

Nothing is started. Exit code 2, with file and line, where something is wrong.`,
  "sallyport proxy models": `
A model is asked for by its name alone, or as upstream/model.`,
  "sallyport proxy connect": `
Examples:
  sallyport proxy connect claude-code
  eval "$(sallyport proxy connect openai --print)"

OpenCode and pi are told which models there are, so the proxy has to be running.`,
  "sallyport proxy disconnect": `
Example:
  sallyport proxy disconnect claude-code`,
  "sallyport proxy keys": `
Example:
  sallyport proxy keys --new laptop  prints the key once; configure its hash`,
  "sallyport completion": `
In ~/.bashrc:
  eval "$(sallyport completion bash)"

In ~/.zshrc, after compinit:
  eval "$(sallyport completion zsh)"

For fish, once:
  sallyport completion fish > ~/.config/fish/completions/sallyport.fish`,
};

/** Adds examples to the help of the whole tree, and leaves out the defaults that go without saying. Call it last. */
export function addHelp(command: Command, above = ""): void {
  const path = `${above} ${command.name()}`.trim();
  const more = moreHelp[path];
  if (more) command.addHelpText("after", () => wrapped(more, command));
  command.configureHelp({
    optionDescription(option) {
      // "(default: false)" behind every switch says nothing.
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
 * `help [command...]` for a command that has others below it. Commander's own knows one word alone, and prints the whole
 * help, without a reason, for a word that it does not know.
 */
export function addHelpCommand(command: Command): void {
  command
    .helpCommand(false)
    .command("help")
    .argument("[command...]")
    .description("Print the help of a command")
    .action((words: string[]) => words.reduce(commandBelow, command).outputHelp());
}

function commandBelow(command: Command, word: string): Command {
  const known = command.createHelp().visibleCommands(command);
  const found = known.find((child) => child.name() === word);
  if (found) return found;
  throw new AppError("usage", `unknown command '${word}'`, {
    hint: known.length > 0 ? `There are ${known.map((child) => child.name()).join(", ")}.` : "",
  });
}
