import { CompiledQuery } from "kysely";
import { type Database, placeholder } from "../../database/open-database.ts";
import { periodAt } from "./budget-periods.ts";
import { summedUntil } from "./ledger-write.ts";
import type { BudgetAccount, SpentBudget } from "./limits-spent.ts";

/** For up to this many subjects, the query selects them; for more, it sums all. */
const MAX_NAMED = 100;

/** Reads the amounts spent of budgets in their current periods. Periods begin with a day, as the rollups do. */
export async function readSpent(
  db: Database,
  accounts: readonly BudgetAccount[],
  now: number = Date.now(),
): Promise<SpentBudget[]> {
  const spent: SpentBudget[] = [];
  for (const period of new Set(accounts.map((account) => account.period))) {
    const subjects = accounts.filter((account) => account.period === period).map(({ subject }) => subject);
    const { start } = periodAt(period, now);
    const sums = await sumBySubject(db, start, subjects);
    for (const subject of subjects) spent.push({ subject, period, start, micros: sums.get(subject) ?? 0 });
  }
  return spent;
}

interface SumRow {
  readonly key_id: string;
  readonly team: string;
  readonly micros: number;
}

async function sumBySubject(
  db: Database,
  start: number,
  subjects: readonly string[],
): Promise<Map<string, number>> {
  const named = subjects.length <= MAX_NAMED ? splitSubjects(subjects) : undefined;
  const values: (string | number)[] = [];
  const value = (each: string | number) => {
    values.push(each);
    return placeholder(db, values.length);
  };
  const among = (column: "key_id" | "team", names: readonly string[] = []) =>
    names.length === 0 ? [] : [`${column} in (${names.map(value).join(", ")})`];
  const sumColumns = (
    table: "usage_days" | "usage_hours",
    time: "day" | "hour",
    from: number,
    to?: number,
  ) => {
    const span = [`${time} >= ${value(from)}`, ...(to === undefined ? [] : [`${time} < ${value(to)}`])];
    const isNamed = [...among("key_id", named?.keys), ...among("team", named?.teams)].join(" or ");
    const where = [...span, ...(isNamed === "" ? [] : [`(${isNamed})`])].join(" and ");
    return `select key_id, team, sum(cost_micros) as micros from ${table} where ${where} group by key_id, team`;
  };
  const until = Math.max(start, await summedUntil(db));
  const text = `${sumColumns("usage_days", "day", start, until)} union all ${sumColumns("usage_hours", "hour", until)}`;
  const { rows } = await db.executeQuery<SumRow>(CompiledQuery.raw(text, values));
  const sums = new Map<string, number>();
  const add = (subject: string, micros: number) => sums.set(subject, (sums.get(subject) ?? 0) + micros);
  for (const { key_id, team, micros } of rows) {
    add(`key:${key_id}`, Number(micros));
    add(`team:${team}`, Number(micros));
  }
  return sums;
}

function splitSubjects(subjects: readonly string[]) {
  const after = (prefix: string) =>
    subjects.flatMap((subject) => (subject.startsWith(prefix) ? subject.slice(prefix.length) : []));
  return { keys: after("key:"), teams: after("team:") };
}
