import { processEnvironment } from "../../../config/paths.ts";
import { loadProxySettings, type ProxyFlags } from "../../../config/proxy/settings.ts";
import { AppError } from "../../../errors.ts";
import { expectNoConfiguredKeys } from "../../../proxy/gateway/configured-keys.ts";
import { newTeamSchema, type Team } from "../../../proxy/gateway/key-schemas.ts";
import type { KeyStore } from "../../../proxy/gateway/key-store.ts";
import type { Output } from "../../output.ts";
import { table } from "../../table.ts";
import { type LimitFlags, parseLimits, parseLimitsPatch, parseTags } from "./limit-flags.ts";
import { printMembers } from "./print-members.ts";
import { COMMAND_LINE, withKeyStore } from "./with-key-store.ts";

export interface TeamFlags extends ProxyFlags, LimitFlags {
  readonly json: boolean;
}

export async function createTeam(name: string, flags: TeamFlags, output: Output): Promise<number> {
  const parsed = newTeamSchema.safeParse({ name, limits: parseLimits(flags), tags: parseTags(flags.tag) });
  if (!parsed.success) throw new AppError("usage", `The team's name ${parsed.error.issues[0]?.message}`);
  return print(await inStore(flags, (store) => store.createTeam(parsed.data, COMMAND_LINE)), flags, output);
}

export async function listTeams(flags: TeamFlags, output: Output): Promise<number> {
  const teams = await inStore(flags, (store) => store.listTeams());
  const rows = teams.map((team) => [team.name, JSON.stringify(team.limits)]);
  const none = "There are no teams. Create one: sallyport proxy teams create NAME";
  const text = rows.length === 0 ? none : table(["team", "limits"], rows);
  await output.result(flags.json ? JSON.stringify({ teams }, null, 2) : text);
  return 0;
}

export async function showTeam(name: string, flags: TeamFlags, output: Output): Promise<number> {
  return print(await inStore(flags, (store) => store.findTeam(name)), flags, output);
}

export async function updateTeam(name: string, flags: TeamFlags, output: Output): Promise<number> {
  const patch = { limits: parseLimitsPatch(flags), tags: parseTags(flags.tag) };
  return print(await inStore(flags, (store) => store.updateTeam(name, patch, COMMAND_LINE)), flags, output);
}

export async function deleteTeam(name: string, flags: TeamFlags, output: Output): Promise<number> {
  const { settings } = await loadProxySettings(processEnvironment, flags);
  await inStore(flags, async (store) => {
    const configured = settings.api_keys.flatMap((key) => (typeof key === "object" ? key : []));
    expectNoConfiguredKeys(name, configured);
    await store.deleteTeam(name, COMMAND_LINE);
  });
  await output.result(flags.json ? JSON.stringify({ deleted: name }) : `Deleted the team ${name}.`);
  return 0;
}

function inStore<Result>(flags: TeamFlags, task: (store: KeyStore) => Promise<Result>): Promise<Result> {
  return withKeyStore(processEnvironment, flags, task);
}

function print(team: Team, flags: TeamFlags, output: Output): Promise<number> {
  return printMembers("team", team, flags, output);
}
