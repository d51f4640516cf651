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

/** The worker's own global scope, as far as it is used here. */
const scope = globalThis as unknown as {
  onmessage: (event: MessageEvent<HighlightRequest>) => void;
  postMessage(response: HighlightResponse, transfer: Transferable[]): void;
};

const loaded = loadHighlighter();

scope.onmessage = async ({ data: { id, text, language } }) => {
  const highlight = await loaded;
  const records = highlight(text, language);
  scope.postMessage({ id, records }, records ? [records.buffer] : []);
};
