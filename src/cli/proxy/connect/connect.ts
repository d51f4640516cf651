import type { InstallTarget } from "../../../agents/agent.ts";
import {
  type Change,
  changesToInstall,
  changesToUninstall,
  resolveTarget,
} from "../../../agents/file-edits/changes.ts";
import { forgetReceipts } from "../../../agents/file-edits/write-changes.ts";
import { unattendedLine } from "../../../agents/own-command.ts";
import { NO_CONNECTION } from "../../../agents/proxy-connector.ts";
import { type ProxyClient, proxyClientNamed } from "../../../agents/registry.ts";
import { AppError } from "../../../errors.ts";
import type { Output } from "../../output.ts";
import { carryOut } from "../../setup/carry-out.ts";
import {
  currentInstallTarget,
  openReceipts,
  requireProjectConnection,
  requireProjectSettings,
  requireRepository,
} from "../../setup/install-target.ts";
import { type ConnectionFlags, connectionTo, fetchModels, getSecrets, isAnswering } from "./connection.ts";

export interface ConnectFlags extends ConnectionFlags {
  readonly print: boolean;
  readonly json?: boolean;
  readonly project: boolean;
  readonly yes: boolean;
}

/**
 * Returns the file changes that `sallyport proxy connect` would make, and the secrets to mask in their diff. Returns
 * undefined if the changes depend on the models of a proxy that does not run.
 */
export async function planConnection(
  id: string,
  flags: Pick<ConnectFlags, "config" | "project">,
): Promise<{ readonly changes: readonly Change[]; readonly secrets: readonly string[] } | undefined> {
  const client = proxyClientNamed(id);
  requireProjectConnection(client, flags);
  const connector = await client.proxy.load();
  const known = await connectionTo(flags, { name: client.name, ...connector });
  if (connector.needsModels && !(await isAnswering(known.url))) return undefined;
  const connection = connector.needsModels ? { ...known, models: await fetchModels(known) } : known;
  const edits = connector.edits(await currentInstallTarget(flags.project), connection);
  return {
    changes: await changesToInstall(edits, openReceipts(client.id, "proxy")),
    secrets: getSecrets(connection),
  };
}

/** Runs `sallyport proxy connect CLIENT`. Resolves to the exit code. */
export async function connect(id: string, flags: ConnectFlags, output: Output): Promise<number> {
  const client = proxyClientNamed(id);
  requireProjectConnection(client, flags);
  requireRepository(flags);
  const connector = await client.proxy.load();
  const known = await connectionTo(flags, { name: client.name, ...connector });
  const target = await currentInstallTarget(flags.project);
  const byVariables = connector.edits(target, known).length === 0;
  if (flags.print || byVariables) {
    const code = await print(client, connector.variables(known), flags, output);
    if (byVariables) for (const note of connector.notes(known)) output.note(note);
    await warnIfNotRunning(known.url, output);
    return code;
  }
  const connection = connector.needsModels ? { ...known, models: await fetchModels(known) } : known;
  const receipts = openReceipts(client.id, "proxy");
  const changes = await changesToInstall(connector.edits(target, connection), receipts);
  if (changes.length === 0) {
    output.note(`${client.name} already uses ${connection.url}. No changes made.`);
    await warnIfNotRunning(connection.url, output);
    if (flags.json) await output.result(JSON.stringify({ client: id, url: connection.url, files: [] }));
    return 0;
  }
  const unasked = formatUnattendedCommand(target, "connect", id, flags);
  const secrets = getSecrets(connection);
  const exitCode = await carryOut({ changes, receipts, unasked, yes: flags.yes, secrets }, output);
  if (exitCode !== undefined) return exitCode;
  output.note(`${client.name} uses ${connection.url} from its next start.`);
  for (const note of connector.notes(connection)) output.note(note);
  if (flags.project) warnOfKeyInProject(changes, secrets, output);
  await warnIfNotRunning(connection.url, output);
  const files = changes.map(({ path }) => path);
  if (flags.json) await output.result(JSON.stringify({ client: id, url: connection.url, files }));
  return 0;
}

/** Runs `sallyport proxy disconnect CLIENT`. Resolves to the exit code. */
export async function disconnect(id: string, flags: ConnectFlags, output: Output): Promise<number> {
  const client = proxyClientNamed(id);
  requireProjectSettings(client, flags);
  const connector = await client.proxy.load();
  const target = await currentInstallTarget(flags.project);
  const connection = await connectionTo(flags, { name: client.name, ...connector }).catch(
    () => NO_CONNECTION,
  );
  const edits = connector.edits(target, connection);
  if (edits.length === 0) {
    output.note(`For ${client.name}, only environment variables are set. Unset them in the shell.`);
    if (flags.json) await output.result(JSON.stringify({ client: id, files: [] }));
    return 0;
  }
  const receipts = openReceipts(client.id, "proxy");
  const changes = await changesToUninstall(edits, receipts);
  const unasked = formatUnattendedCommand(target, "disconnect", id, flags);
  const secrets = getSecrets(connection);
  if (changes.length === 0) output.note(`${client.name} does not use the proxy. No changes made.`);
  else {
    const exitCode = await carryOut({ changes, receipts, unasked, yes: flags.yes, secrets }, output);
    if (exitCode !== undefined) return exitCode;
    output.note(`${client.name} connects directly again from its next start.`);
  }
  await forgetReceipts(await Promise.all(edits.map((edit) => resolveTarget(edit.path))), receipts);
  const files = changes.map(({ path }) => path);
  if (flags.json) await output.result(JSON.stringify({ client: id, files }));
  return 0;
}

/** Warns of files of a repository that contain the proxy's key. */
function warnOfKeyInProject(changes: readonly Change[], secrets: readonly string[], output: Output): void {
  const paths = changes.filter(({ after = "" }) => secrets.some((secret) => after.includes(secret)));
  if (paths.length === 0) return;
  output.note(
    `Warning: the proxy's key is in ${paths.map(({ path }) => path).join(", ")}. Do not commit it.`,
  );
}

/** Warns if nothing responds at the address: a connected agent fails until the proxy is started. */
async function warnIfNotRunning(url: string, output: Output): Promise<void> {
  if (await isAnswering(url)) return;
  output.note(`No proxy responds at ${url}. Start it before the agent: sallyport proxy start`);
}

function formatUnattendedCommand(
  target: InstallTarget,
  verb: string,
  id: string,
  flags: ConnectFlags,
): string {
  return unattendedLine([...target.argv, "proxy", verb, id], {
    "--url": flags.url,
    "--key-env": flags.keyEnv,
    "--config": flags.config,
    "--project": flags.project,
  });
}

async function print(
  client: ProxyClient,
  variables: Readonly<Record<string, string>>,
  { json }: ConnectFlags,
  output: Output,
): Promise<number> {
  if (Object.keys(variables).length === 0) {
    throw new AppError("usage", `${client.name} cannot be configured by environment variables`, {
      hint: `Omit --print: sallyport proxy connect ${client.id}`,
    });
  }
  await output.result(json ? JSON.stringify(variables, null, 2) : shellAssignments(variables));
  return 0;
}

/** Returns lines that set variables in the person's shell: POSIX sh, or PowerShell on Windows. */
function shellAssignments(
  variables: Readonly<Record<string, string>>,
  platform: NodeJS.Platform = process.platform,
): string {
  return Object.entries(variables)
    .map(([name, value]) =>
      platform === "win32"
        ? `$env:${name} = '${value.replaceAll("'", "''")}'`
        : `export ${name}='${value.replaceAll("'", "'\\''")}'`,
    )
    .join("\n");
}
