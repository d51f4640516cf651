import { invalidRequest } from "../../exchange/dialect-error.ts";

/** A file of a form, with its bytes in base64 as the generative-language dialect wants them. */
export interface FormFile {
  readonly name: string;
  readonly mediaType: string;
  readonly data: string;
}

/** A multipart body as fields and files by name. `image[]` and `image` are one name. */
export interface Form {
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly files: ReadonlyMap<string, readonly FormFile[]>;
}

/** Reads a whole `multipart/form-data` body. Throws `DialectError` (400) where it is none. */
export async function readForm(body: Buffer, contentType: string): Promise<Form> {
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

async function readFile(file: File): Promise<FormFile> {
  const data = Buffer.from(await file.arrayBuffer()).toString("base64");
  return { name: file.name, mediaType: file.type, data };
}

function append<Value>(map: Map<string, Value[]>, name: string, value: Value): void {
  const before = map.get(name);
  if (before === undefined) map.set(name, [value]);
  else before.push(value);
}
