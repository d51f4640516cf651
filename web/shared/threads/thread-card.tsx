import "../styles/threads-layer.css";
import {
  Bot,
  Check,
  CircleAlert,
  CircleQuestionMark,
  Info,
  RotateCcw,
  TriangleAlert,
  UserRound,
  Wrench,
  X,
} from "lucide-react";
import { memo, useEffect, useRef } from "react";
import { classNames } from "../../../src/render/class-names.ts";
import type {
  Thread,
  ThreadAuthor,
  ThreadMessage,
  ThreadSeverity,
  ThreadState,
} from "../../../src/review/api-types.ts";
import { openAsk, useAsk } from "../ask/ask-store.ts";
import { Button } from "../components/button.tsx";
import { timeAgo } from "../time-ago.ts";
import { focusCard } from "./focus-card.ts";
import { MessageField } from "./message-field.tsx";
import { MessageText } from "./message-text.tsx";
import { changeMessage, changeThreadState, toggleFolded, useThreads, writeMessage } from "./thread-store.ts";
import { authorName, getDelivery, isInNextBatch, threadStatus, threadSummary } from "./threads.ts";

const TYPE_NAMES: Readonly<Record<Thread["type"], string>> = {
  comment: "Comment",
  suggestion: "Suggestion",
  concern: "Concern",
  question: "Question",
  finding: "Finding",
};

const SEVERITY_NAMES: Readonly<Record<ThreadSeverity, string>> = {
  error: "Error",
  warning: "Warning",
  info: "Info",
};

export interface ThreadActions {
  readonly onAccept: (thread: Thread) => void;
  /** Whether replies are possible: in a live review, and on the page of a pull request. */
  readonly canRespond: boolean;
}

interface ThreadCardProps extends ThreadActions {
  readonly thread: Thread;
  /** The thread's position, for example "line 12"; empty where the card's surroundings show it. */
  readonly position: string;
  readonly onShow?: (() => void) | undefined;
}

/**
 * Renders a thread: its messages, its state, and the available actions. A resolved or dismissed thread is folded until
 * the person unfolds it.
 */
export const ThreadCard = memo(function ThreadCard(props: ThreadCardProps) {
  const { thread, position, onShow } = props;
  const { id, type, anchor, severity, messages } = thread;
  const card = useRef<HTMLElement>(null);
  const isActive = useThreads(({ activeId }) => activeId === id);
  const isUnfolded = useThreads(({ unfolded }) => unfolded.has(id));
  const status = threadStatus(thread);
  const isFolded = (status === "resolved" || status === "dismissed") && !isUnfolded;
  useEffect(() => {
    if (isActive) card.current?.scrollIntoView({ block: "nearest" });
  }, [isActive]);
  return (
    <article
      ref={card}
      className={classNames("thread-card", `thread-card-${type}`, isActive && "thread-card-active")}
      aria-label={describeThread(thread, position)}
      data-thread={id}
      tabIndex={-1}
      onFocus={() => useThreads.setState({ activeId: id })}
    >
      <header className="thread-card-head">
        <span className={`thread-type thread-type-${severity ?? type}`}>
          {severity && <SeverityIcon severity={severity} />}
          {TYPE_NAMES[type]}
          {severity && `: ${SEVERITY_NAMES[severity]}`}
        </span>
        {onShow ? (
          <button type="button" className="thread-position thread-position-link" onClick={onShow}>
            {position}
          </button>
        ) : (
          position !== "" && <span className="thread-position">{position}</span>
        )}
        <StatusChips thread={thread} />
      </header>
      {isFolded ? (
        <button type="button" className="thread-fold" aria-expanded={false} onClick={() => fold(id)}>
          {threadSummary(thread) || "Show the thread"}
          <span className="thread-count">
            {messages.length} {messages.length === 1 ? "message" : "messages"}
          </span>
        </button>
      ) : (
        <>
          {status === "outdated" && <OutdatedText anchor={anchor} />}
          <ol className="thread-messages">
            {messages.map((message) => (
              <Message key={message.id} message={message} />
            ))}
          </ol>
          <MessageField id={id} />
          <Buttons {...props} />
        </>
      )}
    </article>
  );
});

function StatusChips({ thread }: { readonly thread: Thread }) {
  const { resolvedBy, accepted } = thread;
  const status = threadStatus(thread);
  const by = resolvedBy ? ` by ${authorName(resolvedBy)}` : "";
  return (
    <>
      {status === "outdated" && <span className="thread-chip thread-chip-outdated">Outdated</span>}
      {status === "resolved" && <span className="thread-chip thread-chip-resolved">Resolved{by}</span>}
      {status === "dismissed" && <span className="thread-chip">Dismissed</span>}
      {accepted === true && status !== "dismissed" && <span className="thread-chip">Accepted</span>}
      {isInNextBatch(thread) && <span className="thread-chip thread-chip-unsent">Not sent</span>}
    </>
  );
}

function OutdatedText({ anchor }: Pick<Thread, "anchor">) {
  const text = anchor.kind === "lines" ? anchor.code : anchor.kind === "plan" ? anchor.quote : "";
  return (
    <div className="thread-outdated">
      <p>
        {anchor.kind === "plan" ? "This text is no longer in the plan:" : "These lines are no longer there:"}
      </p>
      {text !== "" && <pre>{text}</pre>}
    </div>
  );
}

function Message({ message }: { readonly message: ThreadMessage }) {
  const { author, at, markdown, suggestedCode, postedAt } = message;
  const isPerson = author.kind === "person";
  const delivery = getDelivery(message);
  return (
    <li className={`message message-${author.kind}`}>
      <p className="message-head">
        <AuthorIcon kind={author.kind} />
        <strong className="message-author">{authorName(author)}</strong>
        {!isPerson && <span className="message-kind">{author.kind === "tool" ? "Tool" : "Agent"}</span>}
        <time dateTime={at} title={new Date(at).toLocaleString()}>
          {timeAgo(at)}
        </time>
        {isPerson && delivery !== "unsent" && !(postedAt && author.name !== "") && (
          <span className="message-delivery">
            {postedAt ? "Posted" : delivery === "sent" ? "Sent" : "Read by the agent"}
          </span>
        )}
      </p>
      <div className="message-text">
        <MessageText text={markdown} />
      </div>
      {suggestedCode !== undefined && (
        <figure className="message-suggestion">
          <figcaption>{suggestedCode === "" ? "Suggested: remove this" : "Suggested change"}</figcaption>
          {suggestedCode !== "" && <pre>{suggestedCode}</pre>}
        </figure>
      )}
    </li>
  );
}

function Buttons({ thread, onAccept, canRespond }: ThreadCardProps) {
  const { id, type, state } = thread;
  const isWriting = useThreads(({ drafts }) => drafts.get(id)?.isOpen === true);
  const canAsk = useAsk(({ model }) => model !== undefined);
  const isOpenFinding = type === "finding" && state === "open" && thread.accepted !== true;
  return (
    <footer className="thread-buttons">
      {canRespond && !isWriting && (
        <Button small onClick={() => writeMessage(id)}>
          Reply
        </Button>
      )}
      {canAsk && (
        <Button small variant="quiet" onClick={() => askAboutThread(thread, canRespond)}>
          <CircleQuestionMark size={14} aria-hidden /> Ask
        </Button>
      )}
      {isOpenFinding && (
        <>
          <Button
            small
            data-accept
            onClick={() => {
              focusCard(id);
              onAccept(thread);
            }}
          >
            <Check size={14} aria-hidden /> Accept
          </Button>
          <Button small onClick={() => changeState(thread, "dismissed")}>
            <X size={14} aria-hidden /> Dismiss
          </Button>
        </>
      )}
      {state === "open" && !isOpenFinding && (
        <Button small onClick={() => changeState(thread, "resolved")}>
          <Check size={14} aria-hidden /> Resolve
        </Button>
      )}
      {state !== "open" && (
        <>
          <Button small onClick={() => changeState(thread, "open")}>
            <RotateCcw size={14} aria-hidden /> Reopen
          </Button>
          <Button small variant="quiet" aria-expanded onClick={() => fold(id)}>
            Fold
          </Button>
        </>
      )}
    </footer>
  );
}

/** Changes the state of a thread, which replaces its buttons. */
function changeState(thread: Thread, next: ThreadState): void {
  focusCard(thread.id);
  void changeThreadState(thread, next);
}

/** Folds or unfolds a thread, which removes the pressed button. */
function fold(id: string): void {
  focusCard(id);
  toggleFolded(id);
}

/** Opens a question to a model about a thread. The answer can be inserted as a reply if replies are possible. */
function askAboutThread(thread: Thread, canRespond: boolean): void {
  const { id } = thread;
  const insert = (text: string) => {
    writeMessage(id);
    changeMessage(id, text);
  };
  openAsk({ title: `the thread “${threadSummary(thread)}”`, thread: id, ...(canRespond && { insert }) });
}

function AuthorIcon({ kind }: Pick<ThreadAuthor, "kind">) {
  if (kind === "person") return <UserRound size={14} aria-hidden />;
  return kind === "tool" ? <Wrench size={14} aria-hidden /> : <Bot size={14} aria-hidden />;
}

function SeverityIcon({ severity }: { readonly severity: ThreadSeverity }) {
  if (severity === "error") return <CircleAlert size={13} aria-hidden />;
  return severity === "warning" ? <TriangleAlert size={13} aria-hidden /> : <Info size={13} aria-hidden />;
}

/** Describes a thread for screen readers. */
function describeThread(thread: Thread, position: string): string {
  const { type, severity, messages } = thread;
  const author = messages[0]?.author;
  const parts = [
    `${TYPE_NAMES[type]}${severity ? `, ${SEVERITY_NAMES[severity].toLowerCase()}` : ""}`,
    ...(author ? [`by ${authorName(author)}`] : []),
    ...(position === "" ? [] : [`on ${position}`]),
    threadStatus(thread),
    messages.length === 1 ? "1 message" : `${messages.length} messages`,
  ];
  return parts.join(", ");
}
