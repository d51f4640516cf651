import { useState } from "react";
import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import type { OmittedFiles } from "../../../src/review/api-types.ts";
import { Button } from "../../shared/components/button.tsx";
import { describeOmitted } from "../core/omitted.ts";
import { useSession } from "../state/session.ts";

/** Lists changes that the diff does not show, so that an empty diff does not look like an unchanged working tree. */
export function OmittedBanner() {
  const omitted = useSession((session) => session.index?.omitted);
  const [open, setOpen] = useState(false);
  const [dismissed, setDismissed] = useState<OmittedFiles>();
  if (!omitted || dismissed === omitted) return null;
  const isRoutine = !(omitted.elsewhere || omitted.nested || omitted.onlyStaged || omitted.unknown);
  return (
    <div className={isRoutine ? "banner" : "banner banner-warning"} role="status">
      <div>
        {describeOmitted(omitted).map(({ text, paths, count }) => (
          <div key={text}>
            {text}
            {open && (
              <div className="banner-paths">
                {paths.map((path) => (
                  <code key={path}>{withDeceptionsShown(path)}</code>
                ))}
                {count > paths.length && <span>and {count - paths.length} more</span>}
              </div>
            )}
          </div>
        ))}
      </div>
      <Button small onClick={() => setOpen(!open)} aria-expanded={open}>
        {open ? "Hide names" : "Show names"}
      </Button>
      <Button small variant="quiet" onClick={() => setDismissed(omitted)}>
        Dismiss
      </Button>
    </div>
  );
}
