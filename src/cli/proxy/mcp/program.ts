import type { Command } from "commander";
import { addHelpCommand } from "../../help.ts";
import type { Output } from "../../output.ts";
import type { SetExitCode } from "../../program.ts";
import type { LoginFlags, McpFlags } from "./sign-in.ts";

/** Adds `proxy mcp` and its subcommands. */
export function addMcpCommands(proxy: Command, output: Output, setExitCode: SetExitCode): void {
  const mcp = proxy.command("mcp").description("List MCP servers, and sign in to those that require OAuth");
  shared(mcp.command("list"))
    .description("List the MCP servers of the configuration, and whether a sign-in is stored")
    .action(async (flags: McpFlags) => {
      const { listServers } = await import("./sign-in.ts");
      setExitCode(await listServers(flags, output));
    });
  shared(mcp.command("login"))
    .description("Sign in to an MCP server in the browser; the proxy then uses and refreshes its tokens")
    .argument("<name>", "the server's name in proxy.mcp")
    .option("--no-open", "print the address only, and open no browser")
    .option("--timeout <seconds>", "time for the sign-in (default: 300)")
    .action(async (name: string, flags: LoginFlags) => {
      const { logIn } = await import("./sign-in.ts");
      setExitCode(await logIn(name, flags, output));
    });
  shared(mcp.command("logout"))
    .description("Delete the stored tokens of an MCP server")
    .argument("<name>", "the server's name in proxy.mcp")
    .action(async (name: string, flags: McpFlags) => {
      const { logOut } = await import("./sign-in.ts");
      setExitCode(await logOut(name, flags, output));
    });
  addHelpCommand(mcp);
}

function shared(command: Command): Command {
  return command
    .option("--config <file>", "configuration file (default: your own)")
    .option("--json", "as JSON", false);
}
