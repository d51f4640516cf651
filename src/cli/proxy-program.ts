import type { Command } from "commander";
import type { Output } from "./output.ts";
import type { SetExitCode } from "./program.ts";
import type { ProxyStartFlags } from "./proxy-start.ts";

/** The `proxy` branch of the command tree. */
export function addProxyCommands(program: Command, output: Output, setExitCode: SetExitCode): void {
  const proxy = program.command("proxy").description("Route model calls through one local proxy");
  withConfigurationFlags(proxy.command("start"))
    .description("Start the proxy; it serves until it is stopped")
    .option("--ready-file <path>", "write {url, port, pid} there once listening")
    .action(async (flags: ProxyStartFlags) => {
      const { startProxy } = await import("./proxy-start.ts");
      setExitCode(await startProxy(flags, output));
    });
}

function withConfigurationFlags(command: Command): Command {
  return command
    .option("--config <file>", "the configuration file")
    .option("--port <number>", "listen on this port (default: 8045)")
    .option("--host <address>", "listen on this address (default: 127.0.0.1)")
    .option("--auth-mode <mode>", "off, strict, all_except_health or auto")
    .option("--allow-lan-access", "listen on all interfaces; clients then need a key");
}
