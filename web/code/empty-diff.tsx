import { withDeceptionsShown } from "../../src/render/markdown/deceptive.ts";
import { Button } from "../shared/components/button.tsx";
import { chooseDiff } from "./header/diff-select.tsx";
import { setWhitespace } from "./header/view-actions.ts";
import { useSession } from "./state/session.ts";
import { useView } from "./state/view.ts";

/** Nothing to show: says why, and what else there is. */
export function EmptyDiff() {
  const index = useSession((session) => session.index);
  const whitespace = useView((view) => view.whitespace);
  if (!index) return null;
  const others = index.gitContext.diffOptions.filter(({ id }) => id !== index.diffType);
  return (
    <main id="diff" className="empty" tabIndex={-1}>
      <h2>No changes here</h2>
      <p>
        <code>git diff {index.gitRef}</code> is empty in {index.repository.name}
        {index.paths && (
          <>
            {" "}
            for <code>{withDeceptionsShown(index.paths.join(" "))}</code>, which this review is limited to
          </>
        )}
        {whitespace ? "." : ", whitespace changes hidden."}
      </p>
      <p className="empty-actions">
        {!whitespace && <Button onClick={() => void setWhitespace(true)}>Show whitespace changes</Button>}
        {others.map(({ id, label }) => (
          <Button key={id} onClick={() => void chooseDiff(id)}>
            {label}
          </Button>
        ))}
      </p>
    </main>
  );
}
