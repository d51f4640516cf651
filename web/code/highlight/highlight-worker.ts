import { loadHighlighter } from "./highlight.ts";

export interface HighlightRequest {
  readonly id: number;
  readonly text: string;
  readonly language: string;
}

export interface HighlightResponse {
  readonly id: number;
  readonly records: Uint32Array | undefined;
}

/** The members of the worker's global scope that this module uses. */
const scope = globalThis as unknown as {
  onmessage: (event: MessageEvent<HighlightRequest>) => void;
  postMessage(response: HighlightResponse, transfer: Transferable[]): void;
};

const loaded = loadHighlighter();

scope.onmessage = async ({ data: { id, text, language } }) => {
  const records = await loaded.then((highlight) => highlight(text, language)).catch(() => undefined);
  scope.postMessage({ id, records }, records ? [records.buffer] : []);
};
