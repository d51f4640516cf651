import {
  ClipboardCopy,
  EllipsisVertical,
  FileInput,
  GitCommitVertical,
  History,
  Keyboard,
  MessageSquare,
  PanelLeft,
  Printer,
  Search,
  Settings2,
  Share2,
} from "lucide-react";
import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import { sendJson } from "../../shared/api/client.ts";
import { Button, IconButton } from "../../shared/components/button.tsx";
import { Logo } from "../../shared/components/logo.tsx";
import { Menu, MenuItem } from "../../shared/components/menu.tsx";
import { ThemeToggle } from "../../shared/theme/theme-toggle.tsx";
import { MoreReviews } from "../../shared/threads/more-reviews.tsx";
import { countUnsentMessages, useThreads } from "../../shared/threads/thread-store.ts";
import { isInNextBatch, isUnposted } from "../../shared/threads/threads.ts";
import { printDiff } from "../diff/whole-diff.ts";
import { nonEmptyComments, useComments } from "../state/comments.ts";
import { useCommits } from "../state/commits.ts";
import { copyFeedback } from "../state/compose-feedback.ts";
import { useRounds } from "../state/rounds.ts";
import { openSearch } from "../state/search.ts";
import { useSession } from "../state/session.ts";
import { openDialog, useView } from "../state/view.ts";
import { DiffSelect } from "./diff-select.tsx";
import { stepCommit } from "./step-commits.ts";
import { setLayout, setTabWidth, setWhitespace, setWrap, TAB_WIDTHS } from "./view-actions.ts";

/** Renders the page header: diff selection, view options and decision buttons. */
export function Header() {
  const index = useSession((session) => session.index);
  const count = useComments(({ comments }) => nonEmptyComments(comments).length);
  const openThreads = useThreads(({ threads }) => threads.filter(({ state }) => state === "open").length);
  const treeOpen = useView((view) => view.treeOpen);
  const commentsOpen = useView((view) => view.commentsOpen);
  const hasRounds = useRounds(({ rounds }) => rounds.length > 0);
  return (
    <header className="header">
      <IconButton
        label="Files"
        shortcut="b"
        aria-pressed={treeOpen}
        onClick={() => useView.setState({ treeOpen: !treeOpen })}
      >
        <PanelLeft size={17} aria-hidden />
      </IconButton>
      <Logo />
      <h1 className="header-title">
        {index?.repository.name}{" "}
        <span className="header-branch">{withDeceptionsShown(index?.gitContext.currentBranch ?? "")}</span>
      </h1>
      <DiffSelect />
      <CommitsButton />
      <span className="header-space" />
      <MoreReviews />
      {hasRounds && (
        <IconButton className="rounds-button" label="Earlier feedback" onClick={() => openDialog("rounds")}>
          <History size={17} aria-hidden />
        </IconButton>
      )}
      <IconButton label="Find in the diff" shortcut="/" onClick={openSearch}>
        <Search size={17} aria-hidden />
      </IconButton>
      <ViewMenu />
      <MoreMenu />
      <span className="header-wide">
        <ThemeToggle onChange={(theme) => void sendJson("PUT", "/api/settings", { theme })} />
      </span>
      <Button
        variant="quiet"
        aria-pressed={commentsOpen}
        aria-label={`Comments, ${count + openThreads}`}
        onClick={() => useView.setState({ commentsOpen: !commentsOpen })}
      >
        <MessageSquare size={16} aria-hidden /> {count + openThreads}
      </Button>
      <DecisionButtons count={count} />
    </header>
  );
}

/** Renders the decision buttons. In a live review, sending keeps the review open, and finishing ends it. */
function DecisionButtons({ count }: { readonly count: number }) {
  const isLive = useThreads(({ live }) => live !== undefined);
  const unposted = useThreads(
    (state) => state.threads.filter(isUnposted).length + countUnsentMessages(state),
  );
  const unsent = useThreads(
    (state) => state.threads.filter(isInNextBatch).length + countUnsentMessages(state),
  );
  const isPull = useSession(({ index }) => index?.source === "pr");
  if (isPull && !isLive) {
    return (
      <>
        <Button onClick={() => openDialog("approve")}>Done</Button>
        <Button variant="primary" onClick={() => openDialog("post")}>
          <span className="header-send">Post review</span>
          <span className="header-send-short">Post</span>{" "}
          {count + unposted > 0 && <span className="badge">{count + unposted}</span>}
        </Button>
      </>
    );
  }
  if (isLive) {
    const total = count + unsent;
    return (
      <>
        <Button onClick={() => openDialog("approve")}>Finish</Button>
        {isPull && <Button onClick={() => openDialog("post")}>Post review</Button>}
        <Button variant="primary" onClick={() => openDialog("send")}>
          Send {total > 0 && <span className="badge">{total}</span>}
        </Button>
      </>
    );
  }
  return (
    <>
      <Button onClick={() => openDialog("approve")}>Approve</Button>
      <Button variant="primary" onClick={() => openDialog("send")}>
        <span className="header-send">Send feedback</span>
        <span className="header-send-short">Send</span>
      </Button>
    </>
  );
}

function CommitsButton() {
  const count = useCommits(({ commits }) => commits.length);
  const isShown = useSession((session) => session.index?.commit !== undefined);
  if (count === 0 || isShown) return null;
  const label = count === 1 ? "Show the commit" : `Step through ${count} commits`;
  return (
    <IconButton label={label} shortcut="}" className="commits-button" onClick={() => void stepCommit(1)}>
      <GitCommitVertical size={17} aria-hidden />
    </IconButton>
  );
}

function MoreMenu() {
  const sharing = useSession((session) => session.index?.sharingEnabled ?? false);
  return (
    <Menu
      label="More"
      triggerClass="button button-quiet button-icon"
      trigger={<EllipsisVertical size={17} aria-hidden />}
    >
      {sharing && (
        <MenuItem onSelect={() => openDialog("share")}>
          <Share2 size={16} aria-hidden /> Share …
        </MenuItem>
      )}
      <MenuItem onSelect={() => openDialog("import")}>
        <FileInput size={16} aria-hidden /> Import comments …
      </MenuItem>
      <MenuItem onSelect={() => void copyFeedback()}>
        <ClipboardCopy size={16} aria-hidden /> Copy the feedback
      </MenuItem>
      <MenuItem onSelect={() => void printDiff()}>
        <Printer size={16} aria-hidden /> Print
      </MenuItem>
      <hr />
      <MenuItem onSelect={() => openDialog("help")}>
        <Keyboard size={16} aria-hidden /> Keyboard shortcuts <kbd className="key">?</kbd>
      </MenuItem>
    </Menu>
  );
}

function ViewMenu() {
  const { layout, wrap, whitespace, tabWidth } = useView();
  return (
    <Menu
      label="View"
      triggerClass="button button-quiet button-icon"
      trigger={<Settings2 size={17} aria-hidden />}
    >
      <MenuItem checked={layout === "split"} onSelect={() => setLayout("split")}>
        Side by side
      </MenuItem>
      <MenuItem checked={layout === "unified"} onSelect={() => setLayout("unified")}>
        Unified
      </MenuItem>
      <hr />
      <MenuItem checked={wrap} onSelect={() => setWrap(true)}>
        Wrap long lines
      </MenuItem>
      <MenuItem checked={!wrap} onSelect={() => setWrap(false)}>
        Don't wrap lines
      </MenuItem>
      <hr />
      <MenuItem checked={whitespace} onSelect={() => setWhitespace(true)}>
        Show whitespace changes
      </MenuItem>
      <MenuItem checked={!whitespace} onSelect={() => setWhitespace(false)}>
        Hide whitespace changes
      </MenuItem>
      <hr />
      {TAB_WIDTHS.map((width) => (
        <MenuItem key={width} checked={tabWidth === width} onSelect={() => setTabWidth(width)}>
          Tabs of {width} columns
        </MenuItem>
      ))}
    </Menu>
  );
}
