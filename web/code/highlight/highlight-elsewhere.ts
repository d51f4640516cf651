import type { HighlightRequest, HighlightResponse } from "./highlight-worker.ts";

let worker: Worker | undefined;
let lastId = 0;
const waiting = new Map<number, (records: Uint32Array | undefined) => void>();

/**
 * Highlights a long text in a worker. Resolves to undefined if the worker cannot be started or cannot highlight the
 * text.
 */
export async function highlightElsewhere(text: string, language: string): Promise<Uint32Array | undefined> {
  worker ??= start();
  const started = worker;
  if (!started) return undefined;
  lastId += 1;
  const request: HighlightRequest = { id: lastId, text, language };
  return new Promise((resolve) => {
    waiting.set(request.id, resolve);
    started.postMessage(request);
  });
}

/** Starts the worker. Returns undefined if the browser does not allow it, for example by a policy. */
function start(): Worker | undefined {
  try {
    return startWorker();
  } catch {
    return undefined;
  }
}

function startWorker(): Worker {
  const started = new Worker(new URL("./highlight-worker.ts", import.meta.url), { type: "module" });
  started.onmessage = ({ data }: MessageEvent<HighlightResponse>) => {
    waiting.get(data.id)?.(data.records);
    waiting.delete(data.id);
  };
  started.onerror = () => {
    // The next request starts another worker, because this one does not respond.
    started.terminate();
    if (worker === started) worker = undefined;
    for (const resolve of waiting.values()) resolve(undefined);
    waiting.clear();
  };
  return started;
}
