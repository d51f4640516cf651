import "../styles/pull.css";
import {
  CircleCheck,
  CircleDashed,
  CircleX,
  ExternalLink,
  GitMerge,
  GitPullRequestArrow,
  GitPullRequestClosed,
  GitPullRequestDraft,
  TriangleAlert,
} from "lucide-react";
import { useState } from "react";
import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import type { PullCheck, PullState, ReviewedCommit } from "../../../src/review/api-types.ts";
import { MessageText } from "../../shared/threads/message-text.tsx";
import { timeAgo } from "../../shared/time-ago.ts";
import { classifyCheck, sortChecks, summarizeChecks } from "../core/check-summary.ts";
import { usePull } from "../state/pull.ts";

/**
 * Renders the pull request above its diff: title, author, branches, conflicts, and a summary of the checks. A button
 * shows the description, the reviewers, each check and the commits.
 */
export function PullPanel() {
  const pull = usePull((state) => state.pull);
  const commits = usePull((state) => state.commits);
  const problem = usePull((state) => state.problem);
  const [isOpen, setOpen] = useState(false);
  if (!pull)
    return problem === undefined ? (
      <div className="pull-panel pull-panel-loading" />
    ) : (
      <div className="banner banner-warning" role="alert">
        <span>Cannot read the pull request. {problem}</span>
      </div>
    );
  return (
    <section className="pull-panel" aria-label="Pull request">
      <div className="pull-head">
        <StateIcon state={pull.state} />
        <h2 className="pull-title">
          {withDeceptionsShown(pull.title)} <span className="pull-number">#{pull.number}</span>
        </h2>
        <a className="pull-link" href={pull.url} target="_blank" rel="noreferrer">
          {pull.forgeLabel} <ExternalLink size={13} aria-hidden />
        </a>
      </div>
      <div className="pull-facts">
        <Branches pull={pull} />
        <Conflicts pull={pull} />
        <Checks pull={pull} />
        <button type="button" className="pull-more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Hide the description" : "Show the description"}
        </button>
      </div>
      {pull.problems.map((text) => (
        <p key={text} className="pull-problem" role="alert">
          {text}
        </p>
      ))}
      {isOpen && <Details pull={pull} commits={commits} />}
    </section>
  );
}

function Branches({ pull: { author, state, head, base } }: { readonly pull: PullState }) {
  const person = <strong>{withDeceptionsShown(author)}</strong>;
  const [from, into] = [head, base].map((name) => <code key={name}>{withDeceptionsShown(name)}</code>);
  if (state === "open" || state === "draft")
    return (
      <span>
        {person} wants to merge {from} into {into}
      </span>
    );
  // The data of a pull request does not name the person who merged or closed it.
  return (
    <span>
      {from} of {person} was {state === "closed" && "not "}merged into {into}
    </span>
  );
}

const STATE_NAMES: Readonly<Record<PullState["state"], string>> = {
  open: "Open",
  draft: "Draft",
  merged: "Merged",
  closed: "Closed",
};

const STATE_ICONS = {
  open: GitPullRequestArrow,
  draft: GitPullRequestDraft,
  merged: GitMerge,
  closed: GitPullRequestClosed,
} as const;

function StateIcon({ state }: Pick<PullState, "state">) {
  const Icon = STATE_ICONS[state];
  return (
    <span className={`pull-state pull-state-${state}`}>
      <Icon size={15} aria-hidden /> {STATE_NAMES[state]}
    </span>
  );
}

function Conflicts({ pull: { hasConflicts, base } }: { readonly pull: PullState }) {
  if (!hasConflicts) return null;
  return (
    <span className="pull-conflicts">
      <TriangleAlert size={15} aria-hidden />
      <span>
        Merge conflicts with <code>{withDeceptionsShown(base)}</code>
      </span>
    </span>
  );
}

function Checks({ pull: { checks } }: { readonly pull: PullState }) {
  const summary = summarizeChecks(checks);
  if (summary === undefined) return null;
  return (
    <span className={`pull-check pull-check-${summary.state}`}>
      <CheckIcon state={summary.state} /> {summary.text}
    </span>
  );
}

function CheckIcon({ state }: { readonly state: string }) {
  if (state === "failure") return <CircleX size={15} aria-hidden />;
  return state === "success" ? <CircleCheck size={15} aria-hidden /> : <CircleDashed size={15} aria-hidden />;
}

interface DetailsProps {
  readonly pull: PullState;
  readonly commits: readonly ReviewedCommit[];
}

function Details({ pull, commits }: DetailsProps) {
  const { description, reviewers, checks } = pull;
  return (
    <div className="pull-details">
      <div className="pull-description">
        {description.trim() === "" ? (
          <p className="hint">No description.</p>
        ) : (
          <MessageText text={description} />
        )}
      </div>
      <div className="pull-lists">
        {reviewers.length > 0 && (
          <section>
            <h3>Reviewers</h3>
            <ul>
              {reviewers.map(({ name, state }) => (
                <li key={name}>
                  {withDeceptionsShown(name)} {state !== undefined && <span className="hint">{state}</span>}
                </li>
              ))}
            </ul>
          </section>
        )}
        {checks.length > 0 && (
          <section>
            <h3>Checks</h3>
            <ul>
              {sortChecks(checks).map((check) => (
                // Two workflows can have checks with the same name.
                <CheckRow key={`${check.name} ${check.url ?? check.state}`} check={check} />
              ))}
            </ul>
          </section>
        )}
        {commits.length > 0 && (
          <section>
            <h3>Commits</h3>
            <ol>
              {commits.map(({ sha, title, author, at }) => (
                <li key={sha}>
                  <code>{sha.slice(0, 7)}</code> {withDeceptionsShown(title)}{" "}
                  <span className="hint">
                    {withDeceptionsShown(author)}, {timeAgo(at)}
                  </span>
                </li>
              ))}
            </ol>
          </section>
        )}
      </div>
    </div>
  );
}

function CheckRow({ check }: { readonly check: PullCheck }) {
  const { name, state, url } = check;
  const kind = classifyCheck(check);
  return (
    <li className={`pull-check pull-check-${kind}`}>
      <CheckIcon state={kind} />
      {url !== undefined && /^https:/.test(url) ? (
        <a href={url} target="_blank" rel="noreferrer">
          {withDeceptionsShown(name)}
        </a>
      ) : (
        <span>{withDeceptionsShown(name)}</span>
      )}
      <span className="hint">{state}</span>
    </li>
  );
}
