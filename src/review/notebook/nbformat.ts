import { z } from "zod";

/** A text is one string, or strings to concatenate: usually one for each line. */
const text = z.union([z.string(), z.array(z.string())]);

export type NotebookText = z.infer<typeof text>;

const bundle = z.record(z.string(), z.unknown());

const output = z.discriminatedUnion("output_type", [
  z.object({ output_type: z.literal("stream"), name: z.string(), text }),
  z.object({ output_type: z.literal("display_data"), data: bundle }),
  z.object({ output_type: z.literal("execute_result"), data: bundle }),
  z.object({
    output_type: z.literal("error"),
    ename: z.string(),
    evalue: z.string(),
    traceback: z.array(z.string()),
  }),
]);

const cell = z.object({
  cell_type: z.enum(["code", "markdown", "raw"]),
  id: z.string().exactOptional(),
  source: text,
  metadata: bundle.default({}),
  attachments: bundle.exactOptional(),
  outputs: z.array(output).default([]),
  execution_count: z.number().nullable().default(null),
});

/** A notebook in version 4 of the format: https://nbformat.readthedocs.io/en/latest/format_description.html */
export const notebookSchema = z.object({
  nbformat: z.literal(4),
  metadata: bundle.default({}),
  cells: z.array(cell),
});

export type StoredNotebook = z.infer<typeof notebookSchema>;
export type StoredCell = StoredNotebook["cells"][number];
export type StoredOutput = StoredCell["outputs"][number];

/** The version number, which notebooks of all versions have, also those that `notebookSchema` rejects. */
export const versionSchema = z.object({ nbformat: z.number() });

export const storedText = text;
