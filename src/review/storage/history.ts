import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readJson, writeDurably } from "../../files/durable-file.ts";
import type { Round } from "../api-types.ts";
import type { DecisionSource, PlanDecision } from "../decision.ts";
import { toSlug } from "./file-names.ts";

/** The rounds of one plan: all plans with the same title from the same folder. */
export interface PlanHistory {
  /** Number of the current round, starting at 1. */
  readonly round: number;
  /** Earlier rounds, oldest first. */
  readonly earlier: readonly Round[];
  /** Adds the decision to the current round. */
  decide(decision: PlanDecision, from: DecisionSource): Promise<void>;
}

export interface ArrivingPlan {
  readonly dataDirectory: string;
  readonly cwd: string;
  readonly title: string;
  readonly plan: string;
  readonly now?: () => Date;
}

/**
 * Stores an arriving plan and returns its history. The same text before a decision is the same round, because an
 * agent that asks twice has not revised the plan.
 */
export async function openHistory(arriving: ArrivingPlan): Promise<PlanHistory> {
  const { plan, now = () => new Date() } = arriving;
  const folder = join(arriving.dataDirectory, "history", folderName(arriving));
  const rounds = await readRounds(folder);
  const last = rounds.at(-1);
  const again = last !== undefined && last.plan === plan && last.decision === undefined;
  const round: Round = again ? last : { round: (last?.round ?? 0) + 1, plan, arrivedAt: now().toISOString() };
  const path = join(folder, `${String(round.round).padStart(4, "0")}.json`);
  if (!again) await writeDurably(path, JSON.stringify(round));
  return {
    round: round.round,
    earlier: again ? rounds.slice(0, -1) : rounds,
    async decide({ kind, feedback, annotations }, from) {
      const decision = {
        decision: kind,
        from,
        feedback,
        decidedAt: now().toISOString(),
        annotations,
      };
      await writeDurably(path, JSON.stringify({ ...round, decision }));
    },
  };
}

function folderName({ cwd, title }: ArrivingPlan): string {
  const slug = toSlug(title);
  const digest = createHash("sha256").update(`${cwd}\0${slug}`).digest("hex").slice(0, 16);
  return `${slug}-${digest}`;
}

async function readRounds(folder: string): Promise<Round[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^\d+\.json$/.test(name)).sort();
  const rounds = await Promise.all(names.map((name) => readJson(join(folder, name))));
  return rounds.filter(isRound);
}

function isRound(value: unknown): value is Round {
  return (
    typeof value === "object" &&
    value !== null &&
    "round" in value &&
    typeof value.round === "number" &&
    "plan" in value &&
    typeof value.plan === "string"
  );
}
