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
  /** The agent's own settings, written before Sallyport's. */
  prepare(bench: Bench, modelUrl: string): Promise<void>;
  /** Installs Sallyport in the agent, if not by `sallyport install`. */
  install?(bench: Bench): Promise<void>;
  /** The model's responses: it presents `plan`, which may revise an `earlier` one, then ends. */
  turn(request: ModelRequest, plan: string, earlier?: string): Reply;
  /** Whether this is a request after the decision. */
  isAfterDecision(request: ModelRequest): boolean;
  /** Whether the agent reports an approval to its model. Codex asks the person what to do next instead. */
  readonly reportsApproval: boolean;
  /** Returns the person's text as the agent passes it to the model. */
  toDelivered(text: string): string;
  /** Returns a note on an approval as the agent passes it to the model, if the agent changes it. */
  toDeliveredNote?(text: string): string;
  /** If the agent truncates long text: returns the file with the whole text, which the model is asked to read. */
  readLongText?(requests: readonly ModelRequest[]): Promise<string>;
  /** Runs until the agent has finished; resolves to its output. */
  start(bench: Bench): Promise<string>;
}

/** For agents that limit the size of a hook's output: the file with the whole text, which the hook's output names. */
export async function readSavedText(requests: readonly ModelRequest[]): Promise<string> {
  const raw = requests.map((request) => request.raw).join("\n");
  const path = /the end is missing here; it is in ([^\s\]]+\.md)/.exec(raw)?.[1];
  return path ? readFile(path, "utf8") : "";
}
