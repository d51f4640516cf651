import { budgetSchema, keyLimitsSchema } from "../../../config/proxy/limits.ts";
import { AppError } from "../../../errors.ts";
import type { Limits, LimitsPatch } from "../../../proxy/gateway/key-schemas.ts";

/**
 * The value of a flag, or false to remove the member (`--no-rpm`). Only commands that update a key or team
 * have `--no-` flags.
 */
export type Removable<Value> = Value | false;

/** Flags for the limits and tags of keys and teams. */
export interface LimitFlags {
  readonly rpm?: Removable<string>;
  readonly tpm?: Removable<string>;
  readonly concurrency?: Removable<string>;
  readonly budget?: Removable<readonly string[]>;
  readonly tag?: Removable<readonly string[]>;
}

/** Returns the limits that the flags name. Throws `usage`. */
export function parseLimits(flags: LimitFlags): Limits {
  const limits = Object.entries(parseLimitsPatch(flags) ?? {}).filter(([, value]) => value !== null);
  return Object.fromEntries(limits);
}

/**
 * Returns the limits that the flags name, with null for limits that the flags remove; undefined if they name none.
 * Throws `usage`.
 */
export function parseLimitsPatch(flags: LimitFlags): LimitsPatch | undefined {
  const limits: LimitsPatch = {};
  for (const name of ["rpm", "tpm", "concurrency"] as const) {
    const text = flags[name];
    if (text !== undefined) limits[name] = text === false ? null : parseCount(`--${name}`, text);
  }
  if (flags.budget !== undefined) limits.budgets = flags.budget === false ? null : parseBudgets(flags.budget);
  return Object.keys(limits).length > 0 ? limits : undefined;
}

/**
 * Returns `{cost_center: "42"}` for `--tag cost_center=42`, `{}` for `--no-tag`, or undefined without either. Throws
 * `usage`.
 */
export function parseTags(
  tags: Removable<readonly string[]> | undefined,
): Record<string, string> | undefined {
  if (tags === undefined) return undefined;
  if (tags === false) return {};
  return Object.fromEntries(
    tags.map((tag) => {
      const at = tag.indexOf("=");
      if (at < 1) throw new AppError("usage", `--tag ${tag} is not NAME=VALUE`);
      return [tag.slice(0, at), tag.slice(at + 1)];
    }),
  );
}

function parseCount(flag: string, text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1)
    throw new AppError("usage", `${flag} ${text} is not a whole number above 0`);
  return count;
}

function parseBudgets(texts: readonly string[]): NonNullable<Limits["budgets"]> {
  const budgets = texts.map(parseBudget);
  const parsed = keyLimitsSchema.shape.budgets.safeParse(budgets);
  if (!parsed.success) throw new AppError("usage", `--budget: ${parsed.error.issues[0]?.message}`);
  return budgets;
}

const PERIODS = budgetSchema.shape.period.options;

function parseBudget(text: string): { usd: number; period: (typeof PERIODS)[number] } {
  const [amount = "", period = "", ...rest] = text.split("/");
  const usd = Number(amount);
  const known = PERIODS.find((name) => name === period);
  if (!known || rest.length > 0 || amount === "" || !(usd > 0))
    throw new AppError("usage", `--budget ${text} is not AMOUNT/PERIOD, such as 20/day`, {
      hint: `The periods are ${PERIODS.join(", ")}.`,
    });
  return { usd, period: known };
}
