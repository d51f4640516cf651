import type { HighlightAnswer, HighlightQuestion } from "./highlight-worker.ts";

let worker: Worker | undefined;
let lastId = 0;
const waiting = new Map<number, (records: Uint32Array | undefined) => void>();

/** Highlights a large text off the main thread; undefined when that is not possible. */
export function highlightElsewhere(text: string, language: string): Promise<Uint32Array | undefined> {
  worker ??= start();
  lastId += 1;
  const question: HighlightQuestion = { id: lastId, text, language };
  return new Promise((resolve) => {
    waiting.set(question.id, resolve);
    worker?.postMessage(question);
  });
}

function start(): Worker {
  const started = new Worker(new URL("./highlight-worker.ts", import.meta.url), { type: "module" });
  started.onmessage = ({ data }: MessageEvent<HighlightAnswer>) => {
    waiting.get(data.id)?.(data.records);
    waiting.delete(data.id);
  };
  started.onerror = () => {
    for (const resolve of waiting.values()) resolve(undefined);
    waiting.clear();
  };
  return started;
}
