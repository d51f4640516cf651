import { type Period, type Subject, subjectsOf } from "../../config/proxy/limits.ts";
import type { DirectoryTeam } from "./key-directory.ts";
import type { VirtualKey } from "./key-schemas.ts";

/** The current period of a subject's budget. */
export interface BudgetAccount {
  /** The subject's id, such as `key:key_8f3…`. */
  readonly subject: string;
  readonly period: Period;
}

/** What the ledger's calls have cost in the period that begins at `start` (milliseconds since 1970). */
export interface SpentBudget extends BudgetAccount {
  readonly start: number;
  readonly micros: number;
}

/** Returns the accounts of the budgets that subjects have. */
export function accountsOf(subjects: readonly Subject[]): BudgetAccount[] {
  return subjects.flatMap(({ id, limits }) =>
    (limits.budgets ?? []).map(({ period }) => ({ subject: id, period })),
  );
}

interface KeysAndTeams {
  readonly keys: readonly VirtualKey[];
  readonly teams: readonly DirectoryTeam[];
}

/** Returns the keys and teams of the database that have limits. */
export function limitedSubjects({ keys, teams }: KeysAndTeams): Subject[] {
  const none = { id: "", name: "" };
  return [
    ...keys.filter(({ revoked_at }) => revoked_at === null).flatMap((key) => subjectsOf(key) ?? []),
    ...teams.flatMap((team) => subjectsOf(none, team) ?? []),
  ];
}
