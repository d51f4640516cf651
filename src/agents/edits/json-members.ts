import { type Json, readJson, removeValue, setMember, valueAt } from "./edit-json.ts";
import type { FileEdit } from "./file-edit.ts";

/** One member to set: where, and to what. */
export type JsonMember = readonly [path: readonly string[], value: Json];

/** Like `jsonMembers`, but a value of the person's own stays. */
export function jsonDefaults(path: string, purpose: string, members: readonly JsonMember[]): FileEdit {
  const all = jsonMembers(path, purpose, members);
  const missing = (text: string) => members.filter(([place]) => valueAt(text, place) === undefined);
  return { ...all, install: (text = "") => jsonMembers(path, purpose, missing(text)).install(text) };
}

/**
 * Sets members of an agent's JSON settings. Uninstalling gives each of them back the value it had, unless somebody
 * has changed it since.
 */
export function jsonMembers(path: string, purpose: string, members: readonly JsonMember[]): FileEdit {
  return {
    path,
    purpose,
    install: (text = "") =>
      members.reduce((current, [place, value]) => setMember(current, place, value), text),
    uninstall(text, earlier) {
      if (text === undefined) return undefined;
      const left = members.reduce((current, [place, value]) => {
        const ours = earlier ? valueAt(earlier.written, place) : value;
        if (!isEqual(valueAt(current, place), ours)) return current;
        const before = earlier?.original === undefined ? undefined : valueAt(earlier.original, place);
        return isJson(before) ? setMember(current, place, before) : removeValue(current, place);
      }, text);
      return left !== text && JSON.stringify(readJson(left)) === "{}" ? undefined : left;
    },
  };
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What was read from JSON is JSON; only a missing value is not. */
function isJson(value: unknown): value is Json {
  return value !== undefined;
}
