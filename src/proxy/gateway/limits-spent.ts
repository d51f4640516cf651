import type { ProxyKey } from "../../config/proxy/config.ts";
import { getLimitSubjects, type Period, teamSubject } from "../../config/proxy/limits.ts";
import type { DirectoryTeam } from "./key-directory.ts";
import type { VirtualKey } from "./key-schemas.ts";

/** Identifies the account of a subject's budget with this kind of period. */
export interface BudgetAccount {
  /** The subject's id, such as `key:key_8f3…`. */
  readonly subject: string;
  readonly period: Period;
}

/** The cost of the ledger's calls in the period that begins at `start` (milliseconds since 1970). */
export interface SpentBudget extends BudgetAccount {
  readonly start: number;
  readonly micros: number;
  /**
   * Present if the budget was added while the proxy ran. The account of a budget that was removed before may still
   * exist, and then lacks the calls in between.
   */
  readonly isAdded?: true;
}

/** Returns the unique id of an account. */
export function accountId({ subject, period }: BudgetAccount): string {
  return `${period} ${subject}`;
}

interface KeysAndTeams {
  readonly keys: readonly VirtualKey[];
  readonly teams: readonly DirectoryTeam[];
}

/**
 * Returns the accounts of all budgets: those of the configuration's keys, those of teams, and those of the database's
 * keys that are not revoked.
 */
export function budgetAccounts(
  configured: readonly ProxyKey[],
  { keys, teams }: KeysAndTeams,
): BudgetAccount[] {
  const subjects = [
    ...configured.flatMap((key) => key.subjects ?? []),
    ...keys.filter(({ revoked_at }) => revoked_at === null).flatMap((key) => getLimitSubjects(key) ?? []),
    ...teams.flatMap((team) => teamSubject(team) ?? []),
  ];
  return subjects.flatMap(({ id, limits }) =>
    (limits.budgets ?? []).map(({ period }) => ({ subject: id, period })),
  );
}
