import { CompiledQuery } from "kysely";
import { type Database, placeholder } from "../../database/open-database.ts";
import { periodAt } from "./budget-periods.ts";
import type { BudgetAccount, SpentBudget } from "./limits-spent.ts";

/** For up to this many subjects, the query selects them; for more, it sums all. */
const MAX_NAMED = 100;

/** Reads the amounts spent of budgets in their current periods. Periods begin with an hour, as the rollups do. */
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
  const parameters = [start, ...(named?.keys ?? []), ...(named?.teams ?? [])];
  const marks = parameters.map((_, index) => placeholder(db, index + 1));
  const keys = marks.slice(1, 1 + (named?.keys.length ?? 0));
  const teams = marks.slice(1 + keys.length);
  const isNamed = [
    ...(keys.length > 0 ? [`key_id in (${keys.join(", ")})`] : []),
    ...(teams.length > 0 ? [`team in (${teams.join(", ")})`] : []),
  ].join(" or ");
  const query = CompiledQuery.raw(
    `select key_id, team, sum(cost_micros) as micros from usage_hours
      where hour >= ${marks[0]}${isNamed === "" ? "" : ` and (${isNamed})`} group by key_id, team`,
    parameters,
  );
  const { rows } = await db.executeQuery<SumRow>(query);
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
