import { ChevronDown, ChevronLeft, ChevronRight } from "lucide-react";
import { useState } from "react";
import { classNames } from "../../../src/render/class-names.ts";
import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import { Button, IconButton } from "../../shared/components/button.tsx";
import { timeAgo } from "../../shared/time-ago.ts";
import { useCommits } from "../state/commits.ts";
import { useSession } from "../state/session.ts";
import { neighbors, showWhole, stepCommit } from "./step-commits.ts";

/**
 * Renders the shown commit with buttons for the previous and the next commit. A saved page has no other
 * commits.
 */
export function CommitBar({ isSaved = false }: { readonly isSaved?: boolean }) {
  const commit = useSession((session) => session.index?.commit);
  const switching = useSession((session) => session.switching);
  const commits = useCommits((state) => state.commits);
  const [open, setOpen] = useState(false);
  if (!commit) return null;
  const { previous, next, position } = neighbors();
  const { sha, title, body, author, at } = commit;
  const toggle = open ? "Hide message" : "Show message";
  return (
    <section className="commit-bar" aria-label="Commit" data-open={open}>
      {!isSaved && (
        <>
          <IconButton
            label="Previous commit"
            shortcut="{"
            disabled={previous === undefined || switching}
            onClick={() => void stepCommit(-1)}
          >
            <ChevronLeft size={17} aria-hidden />
          </IconButton>
          <IconButton
            label="Next commit"
            shortcut="}"
            disabled={next === undefined || switching}
            onClick={() => void stepCommit(1)}
          >
            <ChevronRight size={17} aria-hidden />
          </IconButton>
        </>
      )}
      <div className="commit-text">
        <p className="commit-title">
          {position >= 0 && (
            <span className="commit-count">
              <span className="commit-wide">
                Commit {position + 1} of {commits.length}
              </span>
              <span className="commit-narrow">
                {position + 1}/{commits.length}
              </span>
            </span>
          )}
          <strong>{withDeceptionsShown(title)}</strong>
        </p>
        <p className="commit-note">
          <code>{sha.slice(0, 7)}</code>
          {author !== "" && ` ${withDeceptionsShown(author)}, ${timeAgo(at)}`}
        </p>
        {open && body !== "" && <pre className="commit-body">{withDeceptionsShown(body)}</pre>}
      </div>
      {/* On narrow screens, the button is always shown, because it also reveals the author and a long title. */}
      <Button
        small
        variant="quiet"
        className={classNames("commit-toggle", body === "" && "commit-narrow")}
        aria-label={toggle}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <span className="commit-wide">{toggle}</span>
        <ChevronDown className="commit-narrow" size={17} aria-hidden />
      </Button>
      {!isSaved && (
        <Button small aria-label="All changes" disabled={switching} onClick={() => void showWhole()}>
          <span className="commit-wide">All changes</span>
          <span className="commit-narrow">All</span>
        </Button>
      )}
    </section>
  );
}
