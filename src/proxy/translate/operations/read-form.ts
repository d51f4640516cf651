import { BOUNDARY } from "../../body/model-finder.ts";
import { invalidRequest } from "../../exchange/dialect-error.ts";

/** A file of a form. `data` is base64, as the generative-language dialect requires. */
export interface FormFile {
  readonly name: string;
  readonly mediaType: string;
  readonly data: string;
}

/**
 * A multipart body as fields and files by name. Names have no index: `image[]` and `image[0]` are stored as `image`.
 */
export interface Form {
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly files: ReadonlyMap<string, readonly FormFile[]>;
}

const MAX_PARTS = 1_000;

/** Parses a complete `multipart/form-data` body. Throws `DialectError` (400) if it is invalid or has too many parts. */
export async function readForm(body: Buffer, contentType: string): Promise<Form> {
  if (hasTooManyParts(body, contentType)) throw invalidRequest(`The form has more than ${MAX_PARTS} parts.`);
  let form: FormData;
  try {
    form = await new Response(new Uint8Array(body), { headers: { "content-type": contentType } }).formData();
  } catch {
    throw invalidRequest("The body is not valid multipart/form-data.");
  }
  const fields = new Map<string, string[]>();
  const files = new Map<string, FormFile[]>();
  for (const [key, value] of form) {
    const name = key.replace(/\[\d*\]$/, "");
    if (typeof value === "string") append(fields, name, value);
    else append(files, name, await readFile(value));
  }
  return { fields, files };
}

function hasTooManyParts(body: Buffer, contentType: string): boolean {
  const named = BOUNDARY.exec(contentType);
  const boundary = named?.[1] ?? named?.[2];
  // Without a boundary, the form is invalid and has no parts.
  if (boundary === undefined) return false;
  let at = -1;
  for (let parts = 0; parts <= MAX_PARTS + 1; parts += 1) {
    at = body.indexOf(`--${boundary}`, at + 1);
    if (at < 0) return false;
  }
  return true;
}

async function readFile(file: File): Promise<FormFile> {
  const data = Buffer.from(await file.arrayBuffer()).toString("base64");
  return { name: file.name, mediaType: file.type, data };
}

function append<Value>(map: Map<string, Value[]>, name: string, value: Value): void {
  const before = map.get(name);
  if (before === undefined) map.set(name, [value]);
  else before.push(value);
}
