import { readFile } from "node:fs/promises";
import type { Bench } from "../bench.ts";
import type { ModelRequest, Reply } from "../model-fake.ts";

/** How to make one agent present a plan without a person at its terminal. */
export interface Driver {
  /** The name in programs.json. */
  readonly program: string;
  /** The name for `sallyport install`. */
  readonly agent: string;
  /** Variables that point the agent at the model and keep it from calling anyone else. */
  variables(modelUrl: string): Readonly<Record<string, string>>;
  /** Settings of the agent's own, before ours are installed. */
  prepare(bench: Bench, modelUrl: string): Promise<void>;
  /** Installs Sallyport in the agent, where that is not `sallyport install`. */
  install?(bench: Bench): Promise<void>;
  /** What the model says: it presents `plan`, then ends. */
  turn(request: ModelRequest, plan: string): Reply;
  /** Whether this is a request after the decision. */
  isAfterDecision(request: ModelRequest): boolean;
  /** Whether the agent tells its model of an approval; Codex asks its person what to do next instead. */
  readonly reportsApproval: boolean;
  /** Words of the person's as the agent passes them on. */
  toDelivered(text: string): string;
  /** A note on an approval as the agent passes it on, where that is not word for word. */
  toDeliveredNote?(text: string): string;
  /** Where the agent passes on only so much: a text with all of it that its model is pointed at. */
  readLongText?(requests: readonly ModelRequest[]): Promise<string>;
  /** Runs until the agent has nothing more to do; resolves to what it printed. */
  start(bench: Bench): Promise<string>;
}

/** Of agents that read only so much of a hook's output: the file with all of it, which our reply names. */
export async function readSavedText(requests: readonly ModelRequest[]): Promise<string> {
  const raw = requests.map((request) => request.raw).join("\n");
  const path = /the end is missing here; it is in ([^\s\]]+\.md)/.exec(raw)?.[1];
  return path ? readFile(path, "utf8") : "";
}
