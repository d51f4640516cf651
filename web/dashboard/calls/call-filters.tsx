import { useEffect, useRef, useState } from "react";
import type { UsageRowView } from "../../../src/proxy/gateway/admin-api-types.ts";
import { getStart, type Range } from "../data/ranges.ts";
import { useSession } from "../data/session.ts";
import { useQuery } from "../data/use-query.ts";

/** The filters of calls, by their names in the page's location and in the API's query. */
export const FILTERS = ["q", "outcome", "model", "upstream", "key", "team", "session"] as const;

const SELECTS = { model: "Model", upstream: "Upstream", key: "Key", team: "Team" } as const;
type SelectName = keyof typeof SELECTS;

interface CallFiltersProps {
  readonly range: Range;
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (values: Readonly<Record<string, string>>) => void;
}

/** Renders the search field and the filters of the list of calls. */
export function CallFilters({ range, values, onChange }: CallFiltersProps) {
  const { api, isAdmin } = useSession();
  const names: readonly SelectName[] = isAdmin ? ["model", "upstream", "key", "team"] : ["model", "upstream"];
  const { data = {} } = useQuery(`names ${range.id}`, async (signal) => {
    const from = getStart(range, Date.now());
    const lists = names.map(async (name) => {
      const query = { from, group_by: name };
      const { rows } = await api.get<{ rows: UsageRowView[] }>("/usage", query, signal);
      return [name, rows.flatMap((row) => (typeof row[name] === "string" ? [row[name]] : []))] as const;
    });
    return Object.fromEntries(await Promise.all(lists)) as Record<string, string[]>;
  });
  return (
    <search className="filters">
      <SearchField value={values["q"] ?? ""} onChange={(q) => onChange({ q })} />
      {names.map((name) => (
        <Select
          key={name}
          label={SELECTS[name]}
          value={values[name] ?? ""}
          names={data[name] ?? []}
          onChange={(value) => onChange({ [name]: value })}
        />
      ))}
      <label className="check">
        <input
          type="checkbox"
          checked={values["outcome"] === "error"}
          onChange={({ target }) => onChange({ outcome: target.checked ? "error" : "" })}
        />{" "}
        Errors only
      </label>
      {(values["session"] ?? "") !== "" && (
        <button type="button" className="button button-small" onClick={() => onChange({ session: "" })}>
          Show all sessions
        </button>
      )}
    </search>
  );
}

/** Milliseconds after the last keystroke until a search starts. */
const PAUSE_MS = 300;

function SearchField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <label className="field-inline">
      Search
      <input
        className="input"
        type="search"
        value={text}
        maxLength={200}
        placeholder="id, session, model, error …"
        onChange={({ target }) => {
          setText(target.value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => onChange(target.value.trim()), PAUSE_MS);
        }}
      />
    </label>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly names: readonly string[];
  readonly onChange: (value: string) => void;
}

function Select({ label, value, names, onChange }: SelectProps) {
  // The chosen name stays in the list even if no call of the range has it.
  const all = value === "" || names.includes(value) ? names : [...names, value];
  return (
    <label className="field-inline">
      {label}
      <select className="input" value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">All</option>
        {all.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
