import type { Command } from "commander";
import { listedIds, proxyClients } from "../../agents/registry.ts";
import { AppError } from "../../errors.ts";
import { addHelpCommand } from "../help.ts";
import type { Output } from "../output.ts";
import type { SetExitCode } from "../program.ts";
import type { ProxyCheckFlags } from "./check.ts";
import type { ConnectFlags } from "./connect/connect.ts";
import { addControlCommands, createServiceOption } from "./control/program.ts";
import { addKeyCommands, addTeamCommands, addUsageCommand } from "./gateway/program.ts";
import type { ProxyImportFlags } from "./import.ts";
import type { ProxyKeysFlags } from "./keys.ts";
import type { LoginFlags, McpFlags } from "./mcp.ts";
import type { ProxyModelsFlags } from "./models.ts";
import type { ProxyStartFlags } from "./start/start.ts";

/** Adds the `proxy` command and its subcommands. */
export function addProxyCommands(program: Command, output: Output, setExitCode: SetExitCode): void {
  const proxy = program.command("proxy").description("Route model calls through one local proxy");
  withConfigurationFlags(proxy.command("start"))
    .description("Start the proxy")
    .option("--ready-file <path>", "write {url, port, pid} to this file once listening")
    .option("--detach", "run in the background; prints the URL once the proxy serves calls")
    .option("--json", "print {url, port, pid} once calls are served, with --detach also {log}", false)
    .addOption(createServiceOption())
    .action(async (flags: ProxyStartFlags) => {
      if (flags.detach) {
        const { startProxyDetached } = await import("./start/start-detached.ts");
        setExitCode(await startProxyDetached(flags.json === true, output));
        return;
      }
      // The import of the server loads Node.js's HTTP client, which fails without a clear message if it cannot reserve
      // memory.
      checkMemory();
      const { startProxy } = await import("./start/start.ts");
      setExitCode(await startProxy(flags, output));
    });
  // `start` runs this command for each of several workers.
  proxy.command("worker", { hidden: true }).action(async () => {
    const { runWorker } = await import("./workers/run-worker.ts");
    setExitCode(await runWorker(output));
  });
  withConfigurationFlags(proxy.command("check"))
    .description("Print the configuration in force and the source of each value")
    .option("--json", "as JSON", false)
    .option("--json-schema", "print the JSON Schema of the configuration file instead", false)
    .action(async (flags: ProxyCheckFlags) => {
      const { checkProxy } = await import("./check.ts");
      setExitCode(await checkProxy(flags, output));
    });
  proxy
    .command("import")
    .description(
      "Convert the configuration of LiteLLM or claude-code-router, print it, and list what was left out",
    )
    .argument("<source>", "ccr, litellm, or a file whose program is recognized")
    .argument("[file]", "the program's file (default for ccr: ~/.claude-code-router/config.json)")
    .option("--output <file>", "write the configuration to this new file, and print its path")
    .option("--json", "print {program, proxy, notes} instead", false)
    .action(async (source: string, file: string | undefined, flags: ProxyImportFlags) => {
      const { importProxyConfiguration } = await import("./import.ts");
      setExitCode(await importProxyConfiguration(source, file, flags, output));
    });
  addLookups(proxy, output, setExitCode);
  addConnectCommands(proxy, output, setExitCode);
  addControlCommands(proxy, output, setExitCode);
  addHelpCommand(proxy);
}

/** Adds `models`, `keys`, `teams`, `usage` and `mcp`. */
function addLookups(proxy: Command, output: Output, setExitCode: SetExitCode): void {
  addEnvironmentFile(proxy.command("models"))
    .description("List the models of each upstream, and the names that rules define")
    .option("--config <file>", "configuration file (default: the user's)")
    .option("--json", "as JSON", false)
    .action(async (flags: ProxyModelsFlags) => {
      const { listProxyModels } = await import("./models.ts");
      setExitCode(await listProxyModels(flags, output));
    });
  const keys = proxy.command("keys").description("List, create and change the keys that clients send");
  keys
    .option("--config <file>", "configuration file (default: the user's)")
    .option("--new <name>", "create a key: prints it to stdout, and its entry for proxy.api_keys to stderr")
    .option("--json", "as JSON", false)
    .action(async (flags: ProxyKeysFlags) => {
      const { showProxyKeys } = await import("./keys.ts");
      setExitCode(await showProxyKeys(flags, output));
    });
  addKeyCommands(keys, output, setExitCode);
  addTeamCommands(proxy, output, setExitCode);
  addUsageCommand(proxy, output, setExitCode);
  addMcpCommands(proxy, output, setExitCode);
}

function withConfigurationFlags(command: Command): Command {
  return addEnvironmentFile(command)
    .option("--config <file>", "configuration file (default: the user's)")
    .option("--port <number>", "listen on this port (default: 8045)")
    .option("--host <address>", "listen on this address (default: 127.0.0.1)")
    .option("--workers <number>", "number of processes that serve calls, or auto: one per core (default: 1)")
    .option(
      "--auth-mode <mode>",
      "which calls require a key: off, strict, all_except_health or auto (default: auto, which is off unless other machines can connect or a virtual key exists)",
    )
    .option("--allow-lan-access", "listen on all interfaces; clients then require a key");
}

/** Adds `--env-file`, which `cli/program.ts` reads before the command runs. */
function addEnvironmentFile(command: Command): Command {
  return command.option("--env-file <file>", "set variables from this file, lines of the form NAME=value");
}

function addConnectCommands(proxy: Command, output: Output, setExitCode: SetExitCode): void {
  withConnectFlags(proxy.command("connect"), listedIds(proxyClients))
    .description("Configure an agent or SDK to use the proxy: shows a diff, asks, keeps a backup")
    .option("--print", "print environment variables instead of writing files", false)
    .option("--json", "with --print, as a JSON object; else print {client, url, files}", false)
    .option("--url <address>", "the proxy's address (default: the configuration's)")
    .option(
      "--key-env <name>",
      "the environment variable with the proxy's key (default: the configuration's key)",
    )
    .action(async (client: string, flags: ConnectFlags) => {
      const { connect } = await import("./connect/connect.ts");
      setExitCode(await connect(client, flags, output));
    });
  withConnectFlags(
    proxy.command("disconnect"),
    listedIds(proxyClients.filter((client) => client.proxy.writesFiles)),
  )
    .description("Restore the settings from before proxy connect")
    .option("--json", "print {client, files}", false)
    .action(async (client: string, flags: ConnectFlags) => {
      const { disconnect } = await import("./connect/connect.ts");
      setExitCode(await disconnect(client, flags, output));
    });
}

function withConnectFlags(command: Command, clients: string): Command {
  return command
    .argument("<client>", clients)
    .option("--config <file>", "configuration file (default: the user's)")
    .option("--project", "for this repository only (default: for all your projects)", false)
    .option("--yes", "do not ask", false);
}

function addMcpCommands(proxy: Command, output: Output, setExitCode: SetExitCode): void {
  const mcp = proxy.command("mcp").description("List MCP servers, and sign in to those that require OAuth");
  withMcpFlags(mcp.command("list"))
    .description("List the configured MCP servers, and whether a sign-in is stored")
    .action(async (flags: McpFlags) => {
      const { listServers } = await import("./mcp.ts");
      setExitCode(await listServers(flags, output));
    });
  withMcpFlags(mcp.command("login"))
    .description("Sign in to an MCP server in the browser; the proxy then uses and refreshes its tokens")
    .argument("<name>", "the server's name in proxy.mcp")
    .option("--no-open", "print the address without opening a browser")
    .option("--timeout <seconds>", "time for the sign-in (default: 300)")
    .action(async (name: string, flags: LoginFlags) => {
      const { logIn } = await import("./mcp.ts");
      setExitCode(await logIn(name, flags, output));
    });
  withMcpFlags(mcp.command("logout"))
    .description("Delete the stored tokens of an MCP server")
    .argument("<name>", "the server's name in proxy.mcp")
    .action(async (name: string, flags: McpFlags) => {
      const { logOut } = await import("./mcp.ts");
      setExitCode(await logOut(name, flags, output));
    });
  addHelpCommand(mcp);
}

function withMcpFlags(command: Command): Command {
  return command
    .option("--config <file>", "configuration file (default: the user's)")
    .option("--json", "as JSON", false);
}

/**
 * Throws `overloaded` if the system refuses the address space that the HTTP client's WebAssembly parser reserves.
 * Without this check Node.js ends the process with a stack trace when the parser is first used.
 */
export function checkMemory(allocate: () => unknown = allocateWasm): void {
  try {
    allocate();
  } catch (cause) {
    throw new AppError(
      "overloaded",
      "Cannot start the HTTP client: the system refused address space for WebAssembly, which reserves about 10 GB without using it",
      {
        cause,
        hint: "Raise the limit of virtual memory (ulimit -v unlimited), or set NODE_OPTIONS=--disable-wasm-trap-handler.",
      },
    );
  }
}

/** Allocates a WebAssembly memory. The type definitions of Node.js lack `WebAssembly.Memory`. */
function allocateWasm(): unknown {
  return Reflect.construct(Reflect.get(WebAssembly, "Memory"), [{ initial: 1 }]);
}
