import { Command, type CommanderError, Option } from "commander";
import { launchedAgents, listedIds } from "../agents/registry.ts";
import { loadEnvironmentFile } from "../config/paths.ts";
import type { CompletionFlags } from "./completion/completion.ts";
import type { DocsFlags } from "./docs.ts";
import { addHelp, addHelpCommand } from "./help.ts";
import type { InitFlags } from "./init/situation.ts";
import type { KeychainFlags } from "./keychain/keychain.ts";
import type { LicensesFlags } from "./licenses.ts";
import type { Output } from "./output.ts";
import { addProxyCommands } from "./proxy/program.ts";
import type { InboxFlags } from "./review/inbox.ts";
import { addReviewCommands } from "./review/program.ts";
import type { RunFlags } from "./run-agent/run-agent.ts";
import { addInstallCommands } from "./setup/program.ts";
import type { UpgradeFlags } from "./upgrade/upgrade.ts";
import { version } from "./version.ts";

/** Sets the exit code that `run` returns. */
export type SetExitCode = (code: number) => void;

/**
 * Creates the command tree. Actions import their modules when they run, so that `--help` and `--version` stay fast
 * and a command loads only the code that it uses.
 */
export function createProgram(output: Output, setExitCode: SetExitCode): Command {
  const program = new Command("sallyport")
    .description(
      "Review the plans and changes of coding agents in the browser,\nand route their model calls through one local proxy.",
    )
    .version(version, "-v, --version", "print the version")
    .helpOption("-h, --help", "print this")
    // Flags belong to the command that they follow: `proxy keys` and its subcommands have flags of the same names.
    .enablePositionalOptions()
    .showHelpAfterError("Run with --help for the options.")
    .configureOutput({ outputError: (text) => output.note(formatUsageError(text, program)) });

  addInit(program, output, setExitCode);
  addReviewCommands(program, output, setExitCode);
  addInbox(program, output, setExitCode);
  addMcp(program, output, setExitCode);
  addRun(program, output, setExitCode);
  addInstallCommands(program, output, setExitCode, async (flags) => {
    const { uninstallAll } = await import("./uninstall-all.ts");
    return uninstallAll(flags, output);
  });
  addProxyCommands(program, output, setExitCode);
  addKeychain(program, output, setExitCode);
  addUpgrade(program, output, setExitCode);
  addCompletion(program, output, setExitCode);
  program
    .command("version")
    .description("Print the version")
    .option("--json", "print {version, node, platform, arch}", false)
    .action(async ({ json }: { readonly json: boolean }) => {
      const { platform, arch } = process;
      await output.result(
        json ? JSON.stringify({ version, node: process.version, platform, arch }, null, 2) : version,
      );
    });
  addDocs(program, output, setExitCode);
  addLicenses(program, output, setExitCode);
  addHelpCommand(program);
  addHelp(program);
  addVerbosity(program);
  program.hook("preAction", async (_program, command) => {
    setVerbosity(command, output);
    await readEnvironmentFile(command);
  });
  strict(program);
  return program;
}

function addInit(program: Command, output: Output, setExitCode: SetExitCode): void {
  program
    .command("init")
    .description("Set up Sallyport: find agents and API keys, show every change, and ask before writing")
    .option("--proxy", "with --yes, set up the proxy too: keys, service and connections", false)
    .option("--project", "for this repository only (default: for all your projects)", false)
    .option("--config <file>", "configuration file of the proxy (default: the user's)")
    .option("--env-file <file>", "set environment variables from this file; the service also reads it")
    .option("--dry-run", "show the changes, and write nothing", false)
    .option("--yes", "do not ask", false)
    .option("--json", "print {found, steps, hints}", false)
    .action(async (flags: InitFlags) => {
      const { init } = await import("./init/init.ts");
      setExitCode(await init(flags, output));
    });
}

function addInbox(program: Command, output: Output, setExitCode: SetExitCode): void {
  program
    .command("inbox")
    .description("Serve a page with all reviews that wait for you, and those decided today")
    .option("--port <number>", "listen on this port (default: 8046)")
    .option("--open", "open the browser (default, except in remote mode, and over SSH without BROWSER)", true)
    .option("--no-open", "do not open the browser; the URL is printed either way")
    .option("--ready-file <path>", "write {url, port, pid} to this file once listening")
    .option("--json", "print {url, port, pid} once listening", false)
    .action(async (flags: InboxFlags) => {
      const { inbox } = await import("./review/inbox.ts");
      setExitCode(await inbox(flags, output));
    });
}

function addMcp(program: Command, output: Output, setExitCode: SetExitCode): void {
  program
    .command("mcp")
    .description("Serve live reviews to an MCP client over stdin and stdout")
    .action(async () => {
      const { serveMcp } = await import("./review/live/mcp.ts");
      setExitCode(await serveMcp(output));
    });
}

function addRun(program: Command, output: Output, setExitCode: SetExitCode): void {
  program
    .command("run")
    .argument("<agent>", listedIds(launchedAgents))
    .argument("[args...]", "arguments of the agent")
    .passThroughOptions()
    .description("Start an agent whose model calls go through the proxy; starts the proxy if none runs")
    .option("--config <file>", "configuration file of the proxy (default: the user's)")
    .option("--env-file <file>", "set variables from this file, lines of the form NAME=value")
    .option("--url <address>", "the proxy's address (default: the configuration's)")
    .option(
      "--key-env <name>",
      "the environment variable with the proxy's key (default: the configuration's key)",
    )
    .option("--json", "print {program, args, environment} instead of starting the agent", false)
    .action(async (agent: string, args: readonly string[], flags: RunFlags) => {
      const { runAgent } = await import("./run-agent/run-agent.ts");
      setExitCode(await runAgent(agent, args, flags, output));
    });
}

function addKeychain(program: Command, output: Output, setExitCode: SetExitCode): void {
  const keychain = program
    .command("keychain")
    .description("Keep keys for the proxy's configuration in the keychain of this system");
  const add = (name: string, description: string, action: "setSecret" | "deleteSecret" | "checkSecret") =>
    keychain
      .command(name)
      .argument("<name>", 'the name in the configuration: {"keychain": NAME}')
      .description(description)
      .option("--json", "as JSON", false)
      .action(async (secret: string, flags: KeychainFlags) => {
        const actions = await import("./keychain/keychain.ts");
        setExitCode(await actions[action](secret, flags, output));
      });
  add("set", "Store a secret, from stdin or typed without echo", "setSecret");
  add("check", "Print whether the keychain has a secret, and its length", "checkSecret");
  add("delete", "Delete a secret", "deleteSecret");
  addHelpCommand(keychain);
}

function addUpgrade(program: Command, output: Output, setExitCode: SetExitCode): void {
  program
    .command("upgrade")
    .description("Install the newest version with npm, and replace running proxies without losing calls")
    .option("--check", "only compare the installed version with the newest one", false)
    .option("--yes", "do not ask", false)
    .option("--json", "as JSON", false)
    .action(async (flags: UpgradeFlags) => {
      const { upgrade } = await import("./upgrade/upgrade.ts");
      setExitCode(await upgrade(flags, output));
    });
}

/**
 * Adds `--quiet`, `--verbose` and `--debug` to every command. Only the help of `sallyport` lists these flags.
 */
function addVerbosity(command: Command): void {
  for (const [flag, description] of VERBOSITY_FLAGS)
    command.addOption(new Option(flag, description).hideHelp(command.parent !== null));
  for (const child of command.commands) addVerbosity(child);
}

const VERBOSITY_FLAGS = [
  ["--quiet", "print errors, warnings, diffs, questions and addresses only; for every command"],
  ["--verbose", "print details too; for every command"],
  ["--debug", "print details, and the causes and stacks of errors; for every command"],
] as const;

function setVerbosity(command: Command, output: Output): void {
  const { quiet, verbose, debug } = command.optsWithGlobals<Record<"quiet" | "verbose" | "debug", unknown>>();
  output.verbosity = debug ? "debug" : verbose ? "verbose" : quiet ? "quiet" : "normal";
  output.note(
    `sallyport ${version}, Node.js ${process.version}, ${process.platform} ${process.arch}`,
    "detail",
  );
}

/** Reads the variables of `--env-file` before a command that has the flag runs. */
async function readEnvironmentFile(command: Command): Promise<void> {
  const path: unknown = command.opts()["envFile"];
  if (typeof path === "string") await loadEnvironmentFile(path);
}

function addCompletion(program: Command, output: Output, setExitCode: SetExitCode): void {
  program
    .command("completion")
    .argument("[shell]", "bash, zsh, fish or powershell")
    .description("Print a script that completes commands, flags and agents in a shell")
    .option("--json", "print {shell, script}", false)
    .action(async (shell: string | undefined, flags: CompletionFlags) => {
      const { completion } = await import("./completion/completion.ts");
      setExitCode(await completion(shell, flags, program, output));
    });
}

function addDocs(program: Command, output: Output, setExitCode: SetExitCode): void {
  program
    .command("docs")
    .argument("[page]", "name of a page, such as how-to/troubleshoot or troubleshoot")
    .description("Print a page of the documentation as Markdown, or the list of pages")
    .option("--json", "print {page, title, text}, or {pages}", false)
    .action(async (page: string | undefined, flags: DocsFlags) => {
      const { docs } = await import("./docs.ts");
      setExitCode(await docs(page, flags, output));
    });
}

function addLicenses(program: Command, output: Output, setExitCode: SetExitCode): void {
  program
    .command("licenses")
    .description("Print the licenses of Sallyport and of all bundled code")
    .option("--json", "print {licenses}, each with its packages and text", false)
    .action(async (flags: LicensesFlags) => {
      const { licenses } = await import("./licenses.ts");
      setExitCode(await licenses(flags, output));
    });
}

/** Makes commander throw instead of exiting. */
function strict(command: Command): void {
  command.exitOverride((error: CommanderError) => {
    throw error;
  });
  for (const child of command.commands) strict(child);
}

/**
 * Returns commander's message in the form of all other error messages. For an unknown command, names the commands of
 * this name elsewhere in the tree, such as `sallyport proxy connect` for "connect".
 */
function formatUsageError(text: string, program: Command): string {
  const [first = "", ...rest] = text.trimEnd().split("\n");
  const message = /^error: (.*)/.exec(first)?.[1];
  if (message === undefined) return text.trimEnd();
  const name = /^unknown command '(.*)'$/.exec(message)?.[1];
  const elsewhere = name === undefined ? [] : listCommandsNamed(name, program, program.name());
  const hint = elsewhere.length > 0 ? [`(Did you mean ${elsewhere.join(" or ")}?)`] : rest;
  return [`sallyport: ${message} [usage]`, ...hint].join("\n");
}

function listCommandsNamed(name: string, parent: Command, path: string): readonly string[] {
  return parent.commands.flatMap((child) => {
    const own = `${path} ${child.name()}`;
    return [...(child.name() === name ? [own] : []), ...listCommandsNamed(name, child, own)];
  });
}
