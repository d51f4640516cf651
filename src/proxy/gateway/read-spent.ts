import { CompiledQuery } from "kysely";
import { type Database, placeholder } from "../../database/open-database.ts";
import { periodAt } from "./budget-periods.ts";
import type { BudgetAccount, SpentBudget } from "./limits-spent.ts";

/** Maximum number of subjects that a query names; for more, it sums the totals of all subjects. */
const MAX_NAMED = 100;

/**
 * Reads the amounts spent from budgets in their current periods. Sums the totals by day, because every period begins at
 * the start of a day.
 */
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
  const sums = (dimension: "key" | "team", column: "key_id" | "team", names?: readonly string[]) => {
    const span = `span = 'day' and dimension = '${dimension}' and time >= ${value(start)}`;
    const among = names === undefined ? "" : ` and ${column} in (${names.map(value).join(", ")})`;
    return `select '${dimension}:' || ${column} as subject, sum(cost_micros) as micros
      from usage_totals where ${span}${among} group by ${column}`;
  };
  const parts = [
    ...(named?.keys.length === 0 ? [] : [sums("key", "key_id", named?.keys)]),
    ...(named?.teams.length === 0 ? [] : [sums("team", "team", named?.teams)]),
  ];
  if (parts.length === 0) return new Map();
  const query = CompiledQuery.raw(parts.join(" union all "), values);
  const { rows } = await db.executeQuery<{ readonly subject: string; readonly micros: number }>(query);
  return new Map(rows.map(({ subject, micros }) => [subject, Number(micros)]));
}

function splitSubjects(subjects: readonly string[]) {
  const after = (prefix: string) =>
    subjects.flatMap((subject) => (subject.startsWith(prefix) ? subject.slice(prefix.length) : []));
  return { keys: after("key:"), teams: after("team:") };
}
