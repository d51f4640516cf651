import type { Command } from "commander";
import { listedIds, proxyClients } from "../../../agents/registry.ts";
import type { Output } from "../../output.ts";
import type { SetExitCode } from "../../program.ts";
import type { ConnectFlags } from "./connect.ts";

/** Adds `proxy connect` and `proxy disconnect`. */
export function addConnectCommands(proxy: Command, output: Output, setExitCode: SetExitCode): void {
  withFlags(proxy.command("connect"), listedIds(proxyClients))
    .description("Configure an agent or SDK to use the proxy: shows a diff, asks, keeps a backup")
    .option("--print", "print environment variables instead of writing files", false)
    .option("--url <address>", "the proxy's address (default: the configuration's)")
    .option(
      "--key-env <name>",
      "the environment variable with the proxy's key (default: the configuration's key)",
    )
    .action(async (client: string, flags: ConnectFlags) => {
      const { connect } = await import("./connect.ts");
      setExitCode(await connect(client, flags, output));
    });
  withFlags(proxy.command("disconnect"), listedIds(proxyClients.filter((client) => client.proxy.writesFiles)))
    .description("Restore the agent's settings")
    .action(async (client: string, flags: ConnectFlags) => {
      const { disconnect } = await import("./connect.ts");
      setExitCode(await disconnect(client, flags, output));
    });
}

function withFlags(command: Command, clients: string): Command {
  return command
    .argument("<client>", clients)
    .option("--config <file>", "configuration file (default: your own)")
    .option("--project", "for the repository of the working directory instead of for you everywhere", false)
    .option("--yes", "do not ask", false);
}
