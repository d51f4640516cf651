import { getErrorMessage } from "../../errors.ts";
import { createCodeMode, followTakenOver } from "../code/mode.ts";
import type { RoundStore } from "../code/rounds/round-store.ts";
import type { SymbolFiles } from "../code/symbols/symbols-client.ts";
import type { ReviewContext, ReviewMode } from "../context.ts";
import { codeDecision, type Decision } from "../decision.ts";
import { FORGE_LABELS, type Forge, type PullRequest } from "../forges/forge.ts";
import type { Repository } from "../git/repository.ts";
import { createPatchSession } from "../patch/patch-session.ts";
import type { PostedReview } from "../pr-api-types.ts";
import { createPullOrigin } from "./pull-origin.ts";
import { createPullReview, type PullReview } from "./pull-review.ts";
import { openPullStore } from "./pull-store.ts";
import { pullRoutes } from "./routes/pull.ts";

export interface PullModeOptions {
  readonly forge: Forge;
  readonly opened: PullRequest;
  readonly clone: Repository | undefined;
  readonly dataDirectory: string;
  readonly rounds: RoundStore;
  readonly editorLink: string;
  readonly json: boolean;
  /** Reads the built files of the symbol parser. */
  readonly symbolFiles?: (() => Promise<SymbolFiles>) | undefined;
}

/** Creates the mode of a pull request's review: a code review with the diff and threads of a forge. */
export function createPullMode(options: PullModeOptions): ReviewMode {
  const { forge, opened, clone, dataDirectory } = options;
  let review: PullReview | undefined;
  const origin = createPullOrigin({ forge, opened, clone, onPull: (pull) => review?.update(pull) });
  const diffs = createPatchSession(origin);
  const mode = createCodeMode({
    diffs,
    rounds: options.rounds,
    editorLink: options.editorLink,
    json: options.json,
    symbolFiles: options.symbolFiles,
  });
  const open = ({ threads }: ReviewContext) => {
    review ??= createPullReview({
      forge,
      opened,
      diffs,
      anchors: mode.anchors,
      threads: () => threads.open(),
      openStore: () => openPullStore(dataDirectory, opened.url),
    });
    return review;
  };
  const text = (decision: Decision) =>
    [toText(decision, opened, forge, review?.posted ?? []), ...(review?.incomplete ?? [])].join("\n\n");
  const json = (decision: Decision) => ({
    ...toJson(decision),
    url: opened.url,
    posted: review?.posted ?? [],
    ...(review && review.incomplete.length > 0 ? { incomplete: review.incomplete } : {}),
  });
  return {
    ...mode,
    kind: "pr",
    registerRoutes(app, context) {
      mode.registerRoutes(app, context);
      const opening = open(context);
      pullRoutes(app, context, opening);
      context.threads.seed(
        async (store) => {
          // Commits may have been pushed since the earlier review.
          await followTakenOver(diffs, store, context);
          await opening.seed(store);
        },
        (error) =>
          context.onNote?.(`Cannot read the threads at ${forge.address.host}: ${getErrorMessage(error)}`),
      );
    },
    // The threads are moved to the diff before those of the forge are added.
    startLive: () => () => {},
    async refresh(context, onTaken) {
      const isNew = await mode.refresh(context, onTaken);
      // The new diff is shown even if the threads cannot be read: the page states that.
      await open(context)
        .reload()
        .catch(() => {});
      return isNew;
    },
    async encode(decision) {
      return options.json ? JSON.stringify(json(decision)) : text(decision);
    },
    present(decision) {
      return { title: `Review of ${opened.title}`, text: text(decision), json: json(decision) };
    },
  };
}

function toJson(decision: Decision): object {
  const { feedback, annotations, agentSwitch, approved } = codeDecision(decision);
  return { feedback, annotations, agentSwitch, approved: approved || undefined };
}

const VERDICTS: Readonly<Record<PostedReview["verdict"], string>> = {
  approve: "approved",
  comment: "commented",
  request_changes: "requested changes",
};

/** Returns the text for stdout: the posted reviews, and the person's feedback for the agent. */
function toText(
  decision: Decision,
  { url }: PullRequest,
  { address }: Forge,
  posted: readonly PostedReview[],
): string {
  const { feedback = "", annotations, text } = codeDecision(decision);
  const lines = posted.map(
    ({ verdict, url: page, count }) =>
      `- ${VERDICTS[verdict]}, ${count === 1 ? "1 item" : `${count} items`}: ${page}`,
  );
  const label = FORGE_LABELS[address.forge];
  const head =
    lines.length === 0
      ? `The person reviewed ${url} and posted nothing at ${label}.`
      : [`The person reviewed ${url} and posted at ${label}:`, "", ...lines].join("\n");
  return feedback.trim() === "" && annotations.length === 0 ? head : `${head}\n\n${text}`;
}
