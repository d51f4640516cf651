import { budgetSchema, keyLimitsSchema } from "../../../config/proxy/limits.ts";
import { AppError } from "../../../errors.ts";
import type { Limits } from "../../../proxy/gateway/key-schemas.ts";

/** Flags that keys and teams have in common. */
export interface LimitFlags {
  readonly rpm?: string;
  readonly tpm?: string;
  readonly concurrency?: string;
  readonly budget?: readonly string[];
  readonly tag?: readonly string[];
}

/** Returns the limits that the flags name. Throws `usage`. */
export function parseLimits(flags: LimitFlags): Limits {
  const limits: Limits = {};
  for (const name of ["rpm", "tpm", "concurrency"] as const) {
    const text = flags[name];
    if (text !== undefined) limits[name] = parseCount(`--${name}`, text);
  }
  if (flags.budget !== undefined) limits.budgets = flags.budget.map(parseBudget);
  return keyLimitsSchema.parse(limits);
}

/** Returns `{cost_center: "42"}` for `--tag cost_center=42`, or undefined without a tag. Throws `usage`. */
export function parseTags(tags: readonly string[] | undefined): Record<string, string> | undefined {
  if (tags === undefined) return undefined;
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
