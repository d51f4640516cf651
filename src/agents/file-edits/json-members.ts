import { type Json, readJson, removeValue, setMember, valueAt } from "./edit-json.ts";
import type { Earlier, FileEdit } from "./file-edit.ts";

/**
 * The path and value of a member to set. With the value `undefined`, the person's value stays, or is restored if an
 * earlier installation replaced it.
 */
export type JsonMember = readonly [path: readonly string[], value: Json | undefined];

/** Returns the same edit as `jsonMembers`, except that it keeps existing values. */
export function jsonDefaults(path: string, purpose: string, members: readonly JsonMember[]): FileEdit {
  const all = jsonMembers(path, purpose, members);
  const missing = (text: string) => members.filter(([memberPath]) => valueAt(text, memberPath) === undefined);
  return { ...all, install: (text = "") => jsonMembers(path, purpose, missing(text)).install(text) };
}

/**
 * Returns an edit that sets members of an agent's JSON settings. Uninstalling restores each member's value from
 * before the installation, or removes the member if no such value is known, unless the member has changed since.
 */
export function jsonMembers(path: string, purpose: string, members: readonly JsonMember[]): FileEdit {
  return {
    path,
    purpose,
    install: (text = "", earlier) =>
      members.reduce((current, [memberPath, value]) => {
        if (value !== undefined) return setMember(current, memberPath, value);
        return earlier ? restoreMember(current, memberPath, earlier) : current;
      }, text),
    uninstall(text, earlier) {
      if (text === undefined) return undefined;
      const left = members.reduce((current, [memberPath, value]) => {
        if (earlier) return restoreMember(current, memberPath, earlier);
        return isEqual(valueAt(current, memberPath), value) ? removeValue(current, memberPath) : current;
      }, text);
      return left !== text && JSON.stringify(readJson(left)) === "{}" ? undefined : left;
    },
  };
}

/** Restores a member's value from before the installation, unless the member has changed since. */
function restoreMember(text: string, memberPath: readonly string[], { original, written }: Earlier): string {
  const ours = valueAt(written, memberPath);
  if (ours === undefined || !isEqual(valueAt(text, memberPath), ours)) return text;
  const before = original === undefined ? undefined : valueAt(original, memberPath);
  return isJson(before) ? setMember(text, memberPath, before) : removeValue(text, memberPath);
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Narrows the type: a value that was read from JSON is JSON unless it is missing. */
function isJson(value: unknown): value is Json {
  return value !== undefined;
}
