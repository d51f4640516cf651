import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Period } from "../../config/proxy/limits.ts";
import { AppError } from "../../errors.ts";
import { toMicros } from "../gateway/limits.ts";
import type { Services } from "../services.ts";

/**
 * Responds with `proxy.managed_settings`, the settings that Claude Code applies to every user of this gateway. Responds
 * with 304 if the client's `If-None-Match` contains the current checksum. Throws `not_found` if no settings are
 * configured.
 * https://code.claude.com/docs/en/claude-apps-gateway
 */
export function serveManagedSettings(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { managedSettings: settings } = request.runtime.config;
  if (settings === undefined) throw new AppError("not_found", "proxy.managed_settings is not configured");
  const checksum = `sha256:${createHash("sha256")
    .update(JSON.stringify(sorted(settings)))
    .digest("hex")}`;
  reply.header("etag", `"${checksum}"`).header("cache-control", "private, no-cache");
  if (request.headers["if-none-match"]?.includes(checksum)) return reply.code(304).send();
  return reply.send({ uuid: checksum, checksum, settings });
}

/** Returns a value with the members of all objects in alphabetical order, so that equal settings have equal JSON. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, sorted(member)] as const);
  return Object.fromEntries(members.sort(([left], [right]) => (left < right ? -1 : 1)));
}

interface Window {
  /** The used percentage of the budget. */
  readonly utilization: number;
  readonly resets_at: string | null;
}

/** Claude Code's names for the periods of budgets: the window of the unified rate-limit headers, and the kind. */
const WINDOWS: Readonly<
  Record<Period, { readonly window?: "five_hour" | "seven_day"; readonly kind: string }>
> = {
  day: { window: "five_hour", kind: "session" },
  week: { window: "seven_day", kind: "weekly_all" },
  month: { kind: "monthly" },
  total: { kind: "total" },
};

/** The used percentage of a budget from which its severity is `warning`. */
const WARN_AT = 80;

/**
 * Returns the used share of the budgets of the caller's key and team, in the form of Anthropic's `GET
 * /api/oauth/usage`, which Claude Code shows with `/usage`.
 */
export async function usageOfKey({ key }: FastifyRequest, { limits }: Services): Promise<object> {
  const subjects = key?.subjects ?? [];
  const states = subjects.length === 0 ? [] : await limits.read(subjects);
  const used = subjects.flatMap((subject, at) =>
    (subject.limits.budgets ?? []).map((budget, index) => {
      const state = states[at]?.budgets[index];
      const total = toMicros(budget.usd);
      const left = state?.remainingMicros ?? total;
      const utilization =
        total === 0 ? 100 : Math.min(100, Math.max(0, Math.round((1 - left / total) * 1000) / 10));
      const resets_at = state?.resetsAt === undefined ? null : new Date(state.resetsAt).toISOString();
      return { period: budget.period, utilization, resets_at };
    }),
  );
  const windowOf = (name: "five_hour" | "seven_day"): Window | null => {
    const found = used.filter(({ period }) => WINDOWS[period].window === name);
    const nearest = found.toSorted((left, right) => right.utilization - left.utilization)[0];
    return nearest === undefined ? null : { utilization: nearest.utilization, resets_at: nearest.resets_at };
  };
  return {
    five_hour: windowOf("five_hour"),
    seven_day: windowOf("seven_day"),
    limits: used.map(({ period, utilization, resets_at }) => ({
      kind: WINDOWS[period].kind,
      percent: utilization,
      severity: utilization >= 100 ? "exceeded" : utilization >= WARN_AT ? "warning" : "normal",
      resets_at,
      is_active: true,
    })),
  };
}
