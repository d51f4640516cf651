import { spawn } from "node:child_process";
import type { Connection, Launch, ProxyConnector } from "../../agents/proxy-connector.ts";
import { launchedAgents, type ProxyClient, proxyClientNamed } from "../../agents/registry.ts";
import { processEnvironment } from "../../config/paths.ts";
import { AppError } from "../../errors.ts";
import type { Output } from "../output.ts";
import { connectionTo, fetchModels, isAnswering, needsFirstKey } from "../proxy/connect/connection.ts";
import { getProxyLogFile, startDetached } from "../proxy/start/start-detached.ts";
import { noteNewKey, readProxyConfiguration } from "../proxy-configuration.ts";
import { findOnPath } from "../setup/doctor/programs.ts";

export interface RunFlags {
  readonly config?: string;
  readonly url?: string;
  readonly keyEnv?: string;
  readonly envFile?: string;
  readonly json: boolean;
}

/** An agent's program with its arguments and variables. */
interface Started {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Runs `sallyport run AGENT [ARGS]`: starts the proxy if none responds, then the agent with the variables and arguments
 * that make it use the proxy. With `--json`, prints these instead of starting the agent. Does not write the agent's
 * files. Resolves to the agent's exit code.
 */
export async function runAgent(
  id: string,
  args: readonly string[],
  flags: RunFlags,
  output: Output,
): Promise<number> {
  const client = proxyClientNamed(id, launchedAgents);
  const connector = await client.proxy.load();
  if (client.program === undefined || !launchedAgents.includes(client)) refuse(client);
  const program = await findOnPath(client.program, processEnvironment["PATH"] ?? "");
  if (program === undefined)
    throw new AppError(
      "usage",
      `${client.name} is not installed: no program "${client.program}" on the PATH`,
      {
        hint: `Install ${client.name}, or correct the PATH.`,
      },
    );
  if (await needsFirstKey(flags)) await createKey(flags, output);
  const known = await connectionTo(flags, { name: client.name, ...connector });
  if (!(await isAnswering(known.url))) await startProxy(known, flags, output);
  const connection = connector.needsModels ? { ...known, models: await fetchModels(known) } : known;
  const launch = getLaunch(connector, connection);
  const started = { program, args: [...launch.args, ...args], environment: launch.variables };
  if (flags.json) {
    await output.result(JSON.stringify(started, null, 2));
    return 0;
  }
  output.note(`${client.name} uses the proxy at ${connection.url}.`);
  return untilExit(started);
}

/** Creates the proxy's key as `proxy start` does, because the agent must send it. */
async function createKey({ config }: RunFlags, output: Output): Promise<void> {
  const { newKey } = await readProxyConfiguration(processEnvironment, { config }, true);
  if (newKey !== undefined) noteNewKey(newKey, output);
}

function getLaunch(connector: ProxyConnector, connection: Connection): Launch {
  return connector.launch?.(connection) ?? { args: [], variables: connector.variables(connection) };
}

function refuse({ id, name, proxy }: ProxyClient): never {
  if (proxy.writesFiles)
    throw new AppError("usage", `${name} reads the proxy's address only from a file`, {
      hint: `Write it once: sallyport proxy connect ${id}`,
    });
  throw new AppError("usage", `${name} cannot be started from the command line`, {
    hint: `Set its variables in your shell: sallyport proxy connect ${id} --print`,
  });
}

/**
 * Starts the proxy in the background. Throws `upstream_unreachable` if `--url` names the proxy, which may be on another
 * machine, and `configuration` if the proxy cannot start.
 */
async function startProxy({ url }: Connection, flags: RunFlags, output: Output): Promise<void> {
  if (flags.url !== undefined)
    throw new AppError("upstream_unreachable", `No proxy responds at ${flags.url}`, {
      hint: "Start it there, or omit --url to start one on this machine.",
    });
  const started = await startDetached([
    ...["proxy", "start"],
    ...(flags.config === undefined ? [] : ["--config", flags.config]),
    ...(flags.envFile === undefined ? [] : ["--env-file", flags.envFile]),
  ]);
  if ("exitCode" in started)
    throw new AppError("configuration", `The proxy did not start:\n${started.report.trim()}`);
  output.note(
    `Started the proxy at ${url}. Its messages are in ${getProxyLogFile()}. To stop it, run: sallyport proxy stop`,
  );
}

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/**
 * Runs the agent in this terminal. Resolves to its exit code, or to 128 plus the number of the signal that ended it;
 * signals other than those in `SIGNALS` count as SIGKILL (9).
 */
function untilExit({ program, args, environment }: Started): Promise<number> {
  return new Promise((resolve, reject) => {
    // On Windows, programs that npm installs are scripts for cmd.exe.
    const isScript = /\.(?:cmd|bat)$/i.test(program);
    const shell = processEnvironment["ComSpec"] ?? "cmd.exe";
    const child = spawn(isScript ? shell : program, isScript ? toScriptArguments(program, args) : args, {
      env: { ...processEnvironment, ...environment },
      stdio: "inherit",
      windowsVerbatimArguments: isScript,
    });
    // The terminal sends SIGINT to the agent too. Other signals may reach only this process, which passes them on.
    const pass = (signal: NodeJS.Signals) => {
      if (signal !== "SIGINT") child.kill(signal);
    };
    const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
    for (const name of names) process.on(name, pass);
    const end = () => {
      for (const name of names) process.off(name, pass);
    };
    child.once("error", (cause) => {
      end();
      reject(new AppError("usage", `Cannot start ${program}: ${cause.message}`, { cause }));
    });
    child.once("exit", (code, signal) => {
      end();
      const number = signal !== null && signal in SIGNALS ? SIGNALS[signal as keyof typeof SIGNALS] : 9;
      resolve(code ?? 128 + number);
    });
  });
}

/** Characters that cmd.exe interprets outside of quotes. */
const SPECIAL = /[()[\]%!^"`<>&|;, *?]/g;

/**
 * Returns the arguments with which cmd.exe runs a script (.cmd, .bat), to be passed verbatim. `/s` removes only the
 * outer quotes. cmd.exe reads the script's arguments twice, because the script passes them on as `%*`. Pure.
 */
export function toScriptArguments(script: string, args: readonly string[]): readonly string[] {
  const line = [escaped(script), ...args.map((arg) => escaped(escaped(quoted(arg))))].join(" ");
  return ["/d", "/s", "/c", `"${line}"`];
}

/**
 * Quotes an argument as programs for Windows parse it: a backslash is special only before a quote. Source:
 * https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments
 */
function quoted(arg: string): string {
  return `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, "$1$1")}"`;
}

/** Escapes every character that cmd.exe interprets, quotes included, so that none opens a quoted section. */
function escaped(text: string): string {
  return text.replace(SPECIAL, "^$&");
}
