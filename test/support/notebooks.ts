/** A cell as tests write it; the rest is filled in as Jupyter does. */
export interface TestCell {
  readonly kind?: "code" | "markdown" | "raw";
  readonly id?: string;
  readonly source: string;
  readonly count?: number | null;
  readonly outputs?: readonly object[];
  readonly metadata?: object;
}

export interface NotebookOptions {
  readonly metadata?: object;
  /** Spaces of a level; 0 writes the whole notebook into one line. */
  readonly indent?: number;
  /** Whether a source is one string instead of one string for each line. */
  readonly joined?: boolean;
}

/** Returns a notebook as Jupyter saves it: one line of JSON for each line of a cell. */
export function notebookText(cells: readonly TestCell[], options: NotebookOptions = {}): string {
  const { indent = 1, joined = false } = options;
  const notebook = {
    cells: cells.map(({ kind = "code", id, source, count = null, outputs = [], metadata = {} }) => ({
      cell_type: kind,
      ...(kind === "code" && { execution_count: count }),
      ...(id !== undefined && { id }),
      metadata,
      ...(kind === "code" && { outputs }),
      source: joined ? source : splitText(source),
    })),
    metadata: options.metadata ?? {
      kernelspec: { display_name: "Python 3", language: "python", name: "python3" },
      language_info: { name: "python", version: "3.12.1" },
    },
    nbformat: 4,
    nbformat_minor: 5,
  };
  return `${JSON.stringify(notebook, null, indent)}\n`;
}

/** Splits a text into strings that end in a newline, except the last. */
export function splitText(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

export const stream = (text: string, name = "stdout") => ({
  name,
  output_type: "stream",
  text: splitText(text),
});

export const image = (bytes: Buffer) => ({
  data: { "image/png": bytes.toString("base64"), "text/plain": ["<Figure size 640x480 with 1 Axes>"] },
  metadata: {},
  output_type: "display_data",
});
