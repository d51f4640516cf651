import { readFile, stat } from "node:fs/promises";
import { createQueue } from "../../files/in-turn.ts";
import { openHistory } from "../storage/history.ts";
import { createPlanId } from "./plan-id.ts";
import type { PlanReview } from "./plan-review.ts";
import { planTitle } from "./plan-title.ts";

/** Milliseconds between two checks of the file. A save is accepted once two consecutive checks find the same file. */
const POLL_MS = 200;

export interface LivePlanOptions {
  /** Absolute path of the plan's file. */
  readonly path: string;
  readonly dataDirectory: string;
  /** Decodes the file. Throws if it is not text. */
  readonly decode: (bytes: Buffer) => string;
}

/**
 * Returns a plan review that follows its file. The id stays the same for all saves, so that they share one draft. The
 * rounds are stored under the title of the first text.
 */
export function createLivePlan(first: PlanReview, options: LivePlanOptions): PlanReview {
  const { path, dataDirectory, decode } = options;
  const inTurn = createQueue();
  let { plan, title, history } = first;
  const firstTitle = title;
  const planId = createPlanId(`live\0${path}`, first.source);
  const reload = async (): Promise<string | undefined> => {
    const text = decode(await readFile(path));
    if (text.trim() === "" || text === plan) return undefined;
    const before = plan;
    plan = text;
    title = planTitle(text);
    history = openHistory({ dataDirectory, cwd: first.source.folder, title: firstTitle, plan }).catch(
      () => undefined,
    );
    return before;
  };
  return {
    ...first,
    planId,
    get plan() {
      return plan;
    },
    get title() {
      return title;
    },
    get history() {
      return history;
    },
    reload: () => inTurn(reload),
    watch: (onSaved) => watchSaves(path, onSaved),
  };
}

/**
 * Polls a file. Polling also notices editors that replace the file, and works on file systems without events.
 * Returns a function that ends the polling.
 */
function watchSaves(path: string, onSaved: () => void): () => void {
  let known: string | undefined;
  let seen: string | undefined;
  let isOver = false;
  const look = async () => {
    const now = await stat(path, { bigint: true }).then(
      ({ mtimeNs, size, ino }) => `${mtimeNs} ${size} ${ino}`,
      () => undefined,
    );
    // The file may have been saved between its first reading and this check.
    if (known === undefined && now !== undefined) {
      known = now;
      onSaved();
    }
    if (now !== undefined && now === seen && now !== known) {
      known = now;
      onSaved();
    }
    seen = now;
    if (!isOver) timer = setTimeout(() => void look(), POLL_MS).unref();
  };
  let timer = setTimeout(() => void look(), 0).unref();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
