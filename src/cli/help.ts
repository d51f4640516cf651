import type { Command } from "commander";

/** What stands beneath a command's flags: examples first, since they are what people copy. By the command's whole name. */
export const moreHelp: Readonly<Record<string, string>> = {
  sallyport: `
Examples:
  sallyport install claude-code     review every plan of Claude Code from now on
  sallyport review code             review what has changed here, before you commit it
  sallyport proxy start             one address for every model; no configuration needed to try it
  sallyport doctor                  when something does not work

Every command has a --help of its own. The guides lie in the folder docs of the source and of the package.`,
  "sallyport review": `
A page opens in the browser. What you type there is kept, whatever happens; your decision is printed on stdout.`,
  "sallyport review plan": `
Examples:
  sallyport review plan PLAN.md
  sallyport review plan PLAN.md --json --exit-code && ./apply.sh
  echo '{"plan": "# Plan", "origin": "opencode"}' | sallyport review plan

Environment: SERVICE_PORT, SERVICE_HOST, SERVICE_REMOTE, SERVICE_ORIGIN, SERVICE_SHARE, SERVICE_BROWSER (none: open nothing).
Exit codes: 0 decided, 2 usage, 3 no port, 10 denied with --exit-code, 124 timed out, 128+n stopped by a signal, 1 anything else.`,
  "sallyport review code": `
Examples:
  sallyport review code                 everything not committed; other diffs are chosen on the page
  sallyport review code src docs        only what is below these
  sallyport review code --repo ../shop --json

Exit codes: as in review plan, and 4 where there is no git repository or no git.`,
  "sallyport install": `
Examples:
  sallyport install --list              the agents there are, and which are set up
  sallyport install claude-code         for you, in every project
  sallyport install codex --project     for the repository you are in`,
  "sallyport proxy": `
Examples:
  sallyport proxy start                 takes keys from the environment: ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY …
  sallyport proxy connect claude-code   points an agent at it
  sallyport proxy check                 what is configured, and where`,
  "sallyport proxy start": `
Examples:
  sallyport proxy start
  sallyport proxy start --config work.jsonc --port 9000
  sallyport proxy start --workers auto      where one core is full: one process on each
  ANTHROPIC_BASE_URL=http://localhost:8045 claude

SIGHUP, or saving the configuration file, reads it again; SIGTERM lets running answers end.`,
  "sallyport proxy connect": `
Examples:
  sallyport proxy connect claude-code
  eval "$(sallyport proxy connect openai --print)"`,
  "sallyport proxy keys": `
Example:
  sallyport proxy keys --new laptop     prints the key once; only its hash need be configured`,
  "sallyport completion": `
Examples:
  eval "$(sallyport completion bash)"                                             in ~/.bashrc
  eval "$(sallyport completion zsh)"                                              in ~/.zshrc, after compinit
  sallyport completion fish > ~/.config/fish/completions/sallyport.fish`,
};

/** Adds examples to the help of the whole tree, and leaves out the defaults that go without saying. Call it last. */
export function addHelp(command: Command, above = ""): void {
  const path = `${above} ${command.name()}`.trim();
  const more = moreHelp[path];
  if (more) command.addHelpText("after", more);
  command.configureHelp({
    optionDescription(option) {
      // "(default: false)" behind every switch says nothing.
      return option.description;
    },
  });
  for (const child of command.commands) addHelp(child, path);
}
