import { useMemo, useState } from "react";
import { Segmented } from "../../shared/components/segmented.tsx";
import { useReview } from "../state/review-store.ts";
import { comparePlans, countChanges } from "./compare-plans.ts";
import { RawChanges } from "./raw-changes.tsx";
import { RenderedChanges } from "./rendered-changes.tsx";

/** What the agent changed since an earlier round. */
export function ChangesView() {
  const rounds = useReview((state) => state.rounds);
  const after = useReview((state) => state.document.source);
  const [chosen, setChosen] = useState(rounds.length - 1);
  const [shown, setShown] = useState<"rendered" | "raw">("rendered");
  const base = rounds[chosen] ?? rounds.at(-1);
  const changes = useMemo(() => comparePlans(base?.plan ?? "", after), [base, after]);
  const count = countChanges(changes);
  return (
    <section className="changes" aria-label="Changes">
      <div className="changes-head">
        <p>
          {count === 0
            ? "Nothing has changed since "
            : `${count} ${count === 1 ? "part" : "parts"} changed since `}
          {rounds.length < 2 ? (
            `round ${base?.round ?? 1}`
          ) : (
            <BaseChoice chosen={chosen} choose={setChosen} />
          )}
        </p>
        <Segmented
          label="Show changes as"
          value={shown}
          onChange={setShown}
          options={[
            { value: "rendered", label: "Rendered" },
            { value: "raw", label: "Raw diff" },
          ]}
        />
      </div>
      {shown === "rendered" ? (
        <RenderedChanges changes={changes} />
      ) : (
        <RawChanges before={base?.plan ?? ""} after={after} />
      )}
    </section>
  );
}

interface BaseChoiceProps {
  /** Position in the list of rounds. */
  readonly chosen: number;
  readonly choose: (position: number) => void;
}

function BaseChoice({ chosen, choose }: BaseChoiceProps) {
  const rounds = useReview((state) => state.rounds);
  return (
    <select
      className="input changes-base"
      aria-label="Compare with"
      value={chosen}
      onChange={({ target }) => choose(Number(target.value))}
    >
      {rounds.map(({ round }, index) => (
        <option key={round} value={index}>
          round {round}
        </option>
      ))}
    </select>
  );
}
