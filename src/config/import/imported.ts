import type { z } from "zod";
import { AppError } from "../../errors.ts";
import { plainIssue } from "../plain-issue.ts";
import { sha256 } from "../proxy/resolve-keys.ts";

/** A setting of the other program that was not converted exactly, and an explanation. */
export interface ImportNote {
  /** The path of the setting, such as `router_settings.cooldown_time`. */
  readonly setting: string;
  readonly text: string;
}

/** The result of converting another program's configuration. */
export interface Imported {
  /** The member `proxy` of a configuration file. */
  readonly proxy: {
    readonly upstreams: Readonly<Record<string, ImportedUpstream>>;
    readonly models: readonly ImportedRule[];
  };
  readonly notes: readonly ImportNote[];
}

/** Collects notes without duplicates. */
export class Notes {
  readonly list: ImportNote[] = [];

  add(setting: string, text: string): void {
    if (!this.list.some((note) => note.setting === setting && note.text === text))
      this.list.push({ setting, text });
  }

  /**
   * Adds a note for each member of a section: its text in `known`, or else that it has no counterpart. A member whose
   * text is empty gets no note.
   */
  addSection(name: string, section: object, known: Readonly<Record<string, string>>): void {
    for (const key of Object.keys(section)) {
      const text = known[key];
      if (text === "") continue;
      this.add(name === "" ? key : `${name}.${key}`, text ?? "has no counterpart; it was left out");
    }
  }
}

/** Parses the other program's configuration. Throws `configuration` with each wrong setting. */
export function parseForeign<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  file: string,
): z.infer<Schema> {
  const result = schema.safeParse(value, { error: plainIssue });
  if (result.success) return result.data;
  const lines = result.error.issues.map(
    (issue) => `${file}: ${issue.path.map(String).join(".") || "the file"}: ${issue.message}`,
  );
  throw new AppError("configuration", lines.join("\n"));
}

/** An upstream as the importers write it. */
export interface ImportedUpstream {
  dialect: "chat-completions" | "responses" | "messages" | "generative-language";
  /** The base URL; may be absent for an upstream on a cloud platform. */
  base_url?: string;
  vendor?: "bedrock" | "vertex";
  aws?: Record<string, string>;
  google?: Record<string, string>;
  version?: false;
  api_key?: ImportedSecret;
  headers?: Record<string, ImportedSecret>;
  models?: string[];
  limits?: Record<string, number>;
  weight?: number;
  timeouts?: { first_byte?: number };
  prices?: Record<string, Record<string, number>>;
  capabilities?: Record<string, Record<string, number>>;
}

/** A rule as the importers write it. */
export interface ImportedRule {
  readonly match: string;
  readonly upstream: string | readonly string[];
  readonly model?: string;
  readonly when?: object;
  readonly strategy?: string;
  readonly on?: readonly string[];
}

/** A secret as the importers write it: the text itself, or the variable that holds it. */
export type ImportedSecret = string | { readonly env: string };

/**
 * Returns the secret in a text of the other program's configuration. The first group of `reference` matches the name of
 * a variable that the text refers to.
 */
export function importSecret(text: string, reference: RegExp): ImportedSecret {
  const variable = reference.exec(text)?.[1];
  return variable === undefined ? text : { env: variable };
}

/** Returns a key that clients send. A key whose text is in the file is stored only as its digest. */
export function importKey(name: string, secret: ImportedSecret): object {
  return typeof secret === "string"
    ? { name, sha256: sha256(secret).toString("hex") }
    : { name, key_env: secret.env };
}

/** Returns a name for an upstream that no other upstream has yet: `groq`, `groq-2`, … */
export function freeName(wanted: string, taken: Readonly<Record<string, unknown>>): string {
  const name = wanted.replace(/[^A-Za-z0-9._-]+/g, "-") || "upstream";
  if (!(name in taken)) return name;
  for (let number = 2; ; number += 1) if (!(`${name}-${number}` in taken)) return `${name}-${number}`;
}
