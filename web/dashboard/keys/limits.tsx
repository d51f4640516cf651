import type { KeyView, LimitsView } from "../../../src/proxy/gateway/admin-api-types.ts";
import { clock, count, dollars } from "../../../src/render/dashboard/amounts.ts";
import { Button } from "../../shared/components/button.tsx";
import { useFieldFocus } from "./use-field-focus.ts";

type Limits = KeyView["limits"];
export type Budget = NonNullable<Limits["budgets"]>[number];

/** The limits of a key or team as the texts of a form's fields. An empty text sets no limit. */
export interface LimitTexts {
  readonly rpm: string;
  readonly tpm: string;
  readonly concurrency: string;
  readonly budgets: readonly { readonly usd: string; readonly period: Budget["period"] }[];
}

export const toTexts = ({ rpm, tpm, concurrency, budgets = [] }: Limits): LimitTexts => ({
  rpm: String(rpm ?? ""),
  tpm: String(tpm ?? ""),
  concurrency: String(concurrency ?? ""),
  budgets: budgets.map(({ usd, period }) => ({ usd: String(usd), period })),
});

/** Returns the limits of a form; null removes a limit. */
export function limitsFrom({ rpm, tpm, concurrency, budgets }: LimitTexts) {
  const number = (text: string) => (text.trim() === "" ? null : Number(text));
  const set = budgets.filter(({ usd }) => usd.trim() !== "");
  return {
    rpm: number(rpm),
    tpm: number(tpm),
    concurrency: number(concurrency),
    budgets: set.length === 0 ? null : set.map(({ usd, period }) => ({ usd: Number(usd), period })),
  };
}

/** Returns only the limits that are set, for a new key or team. */
export function newLimitsFrom(texts: LimitTexts): Limits {
  const set = Object.entries(limitsFrom(texts)).filter(([, value]) => value !== null);
  return Object.fromEntries(set) as Limits;
}

const PERIODS = ["day", "week", "month", "total"] as const;

interface LimitFieldsProps {
  readonly texts: LimitTexts;
  readonly onChange: (texts: LimitTexts) => void;
}

/** Renders the fields of limits. An empty field sets no limit. */
export function LimitFields({ texts, onChange }: LimitFieldsProps) {
  const field = (name: "rpm" | "tpm" | "concurrency", label: string) => (
    <label className="field">
      <span>{label}</span>
      <input
        className="input"
        type="number"
        min={1}
        step={1}
        value={texts[name]}
        onChange={({ target }) => onChange({ ...texts, [name]: target.value })}
      />
    </label>
  );
  const change = (index: number, budget: LimitTexts["budgets"][number]) =>
    onChange({ ...texts, budgets: texts.budgets.with(index, budget) });
  const group = useFieldFocus(texts.budgets.length);
  return (
    <fieldset ref={group}>
      <legend className="legend-text">Limits (empty: none)</legend>
      <div className="form-row">
        {field("rpm", "Requests per minute")}
        {field("tpm", "Tokens per minute")}
        {field("concurrency", "Calls in flight")}
      </div>
      {texts.budgets.map((budget, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: budgets have no other identity.
        <div className="form-row" key={index}>
          <label className="field">
            <span>Budget in US dollars</span>
            <input
              className="input"
              type="number"
              min={0.01}
              step="any"
              value={budget.usd}
              onChange={({ target }) => change(index, { ...budget, usd: target.value })}
            />
          </label>
          <label className="field">
            <span>Period, in UTC</span>
            <select
              className="input"
              value={budget.period}
              onChange={({ target }) =>
                change(index, { ...budget, period: PERIODS.find((each) => each === target.value) ?? "day" })
              }
            >
              {PERIODS.map((period) => (
                <option key={period}>{period}</option>
              ))}
            </select>
          </label>
          <Button onClick={() => onChange({ ...texts, budgets: texts.budgets.toSpliced(index, 1) })}>
            Remove budget {index + 1}
          </Button>
        </div>
      ))}
      {texts.budgets.length < 8 && (
        <Button
          small
          onClick={() => onChange({ ...texts, budgets: [...texts.budgets, { usd: "", period: "month" }] })}
        >
          Add a budget
        </Button>
      )}
    </fieldset>
  );
}

/** Renders the remaining units of each limit. */
export function LimitsLeft({ limits }: { readonly limits: LimitsView | undefined }) {
  if (limits === undefined) return null;
  const { rpm, tpm, concurrency, budgets } = limits;
  const now = Date.now();
  return (
    <ul className="left">
      {rpm && <Left label={`${count(rpm.remaining)} of ${count(rpm.limit)} requests`} {...rpm} />}
      {tpm && <Left label={`${count(tpm.remaining)} of ${count(tpm.limit)} tokens`} {...tpm} />}
      {concurrency && (
        <Left label={`${concurrency.remaining} of ${concurrency.limit} calls in flight`} {...concurrency} />
      )}
      {budgets.map(({ usd, period, remaining, resets_at }, index) => (
        <Left
          // biome-ignore lint/suspicious/noArrayIndexKey: budgets have no other identity.
          key={index}
          label={`${dollars(remaining)} of ${dollars(usd)}${period === "total" ? " in total" : ` a ${period}`}`}
          until={resets_at === null ? undefined : clock(resets_at, now)}
          remaining={remaining}
          limit={usd}
        />
      ))}
    </ul>
  );
}

interface LeftProps {
  readonly label: string;
  /** When the whole limit is available again. */
  readonly until?: string | undefined;
  readonly remaining: number;
  readonly limit: number;
}

function Left({ label, until, remaining, limit }: LeftProps) {
  return (
    <li>
      <meter min={0} max={limit} value={Math.max(0, remaining)} low={limit * 0.1} aria-hidden="true" />
      <span>
        {label}
        {until !== undefined && (
          <>
            , <span className="short">until {until}</span>
          </>
        )}
      </span>
    </li>
  );
}
