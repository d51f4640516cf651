import { useMemo } from "react";
import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import { Button } from "../../shared/components/button.tsx";
import { Segmented } from "../../shared/components/segmented.tsx";
import { showChangesSince } from "../state/actions.ts";
import { revertEdits } from "../state/revert-edits.ts";
import { editedPlan, useReview } from "../state/review-store.ts";
import { comparePlans } from "./compare-plans.ts";
import { RawChanges } from "./raw-changes.tsx";
import { RenderedChanges } from "./rendered-changes.tsx";

/** Shows the changes since an earlier round, or since the agent sent the plan. */
export function ChangesView() {
  const base = useBase();
  const after = useReview((state) => state.document);
  const shown = useReview((state) => state.changesAs);
  const before = useMemo(() => parseMarkdown(base?.plan ?? ""), [base?.plan]);
  const comparison = useMemo(() => comparePlans(before, after), [before, after]);
  const { count } = comparison;
  return (
    <section className="changes" aria-label="Changes">
      <div className="changes-head">
        <p>
          {count === 0
            ? "Nothing has changed since "
            : `${count} ${count === 1 ? "part" : "parts"} changed since `}
          <BaseChoice base={base} />
        </p>
        {base?.since === "sent" && count > 0 && (
          <Button small onClick={revertEdits}>
            Revert my edits
          </Button>
        )}
        <Segmented
          label="Show changes as"
          value={shown}
          onChange={(changesAs) => useReview.setState({ changesAs })}
          options={[
            { value: "rendered", label: "Rendered" },
            { value: "raw", label: "Raw diff" },
          ]}
        />
      </div>
      {shown === "rendered" ? (
        <RenderedChanges comparison={comparison} />
      ) : (
        <RawChanges before={before.source} after={after.source} />
      )}
    </section>
  );
}

/** A version of the plan with which the shown one can be compared. */
interface Base {
  readonly since: number | "sent";
  readonly name: string;
  readonly plan: string;
}

/**
 * Returns the chosen version. The default is the last round, or the plan as it was sent if there is no
 * earlier round.
 */
function useBase(): Base | undefined {
  const bases = useBases();
  const since = useReview((state) => state.changesSince);
  return (
    bases.find((base) => base.since === since) ?? bases.findLast((base) => base.since !== "sent") ?? bases[0]
  );
}

function useBases(): readonly Base[] {
  const rounds = useReview((state) => state.rounds);
  const isEdited = useReview((state) => editedPlan(state) !== undefined);
  const since = useReview((state) => state.changesSince);
  const sent = useReview((state) => state.plan?.plan ?? "");
  return useMemo(() => {
    const bases: Base[] = rounds.map(({ round, plan }) => ({ since: round, name: `round ${round}`, plan }));
    if (isEdited || since === "sent")
      bases.push({ since: "sent", name: "the plan as it was sent", plan: sent });
    return bases;
  }, [rounds, isEdited, since, sent]);
}

function BaseChoice({ base }: { readonly base: Base | undefined }) {
  const bases = useBases();
  if (bases.length < 2) return base?.name ?? "round 1";
  return (
    <select
      className="input changes-base"
      aria-label="Compare with"
      value={base?.since}
      onChange={({ target }) => showChangesSince(target.value === "sent" ? "sent" : Number(target.value))}
    >
      {bases.map(({ since, name }) => (
        <option key={since} value={since}>
          {name}
        </option>
      ))}
    </select>
  );
}
