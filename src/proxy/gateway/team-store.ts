import type { Selectable } from "kysely";
import type { TeamTable } from "../../database/schema.ts";
import { AppError } from "../../errors.ts";
import { type Actor, audit, namesIn, type Trx, teamRow, toTeam } from "./key-rows.ts";
import { type NewTeam, patchLimits, type TeamPatch } from "./key-schemas.ts";

export async function createTeam(trx: Trx, team: NewTeam, actor: Actor, now: number) {
  const known = trx.selectFrom("teams").select("name").where("name", "=", team.name);
  if (await known.executeTakeFirst())
    throw new AppError("conflict", `A team named ${team.name} already exists`);
  const row: Selectable<TeamTable> = {
    name: team.name,
    created_at: now,
    tags: JSON.stringify(team.tags ?? {}),
    limits: JSON.stringify(team.limits ?? {}),
  };
  await trx.insertInto("teams").values(row).execute();
  await audit(trx, actor, "team.create", row.name, {}, now);
  return toTeam(row);
}

export async function updateTeam(trx: Trx, name: string, patch: TeamPatch, actor: Actor, now: number) {
  const row = await teamRow(trx, name);
  const next = {
    ...row,
    tags: patch.tags === undefined ? row.tags : JSON.stringify(patch.tags),
    limits: patch.limits ? JSON.stringify(patchLimits(JSON.parse(row.limits), patch.limits)) : row.limits,
  };
  await trx.updateTable("teams").set(next).where("name", "=", name).execute();
  await audit(trx, actor, "team.update", name, { changed: namesIn(patch) }, now);
  return toTeam(next);
}

export async function deleteTeam(trx: Trx, name: string, actor: Actor, now: number): Promise<void> {
  await teamRow(trx, name);
  const keys = await trx
    .selectFrom("gateway_keys")
    .select(["name", "revoked_at"])
    .where("team", "=", name)
    .execute();
  if (keys.length > 0) {
    const names = keys.map((key) => (key.revoked_at === null ? key.name : `${key.name} (revoked)`));
    throw new AppError("conflict", `Cannot delete the team ${name}: it has the keys ${names.join(", ")}`, {
      hint: "Remove each key from the team, including revoked ones: sallyport proxy keys update KEY --no-team",
    });
  }
  await trx.deleteFrom("teams").where("name", "=", name).execute();
  await audit(trx, actor, "team.delete", name, {}, now);
}
