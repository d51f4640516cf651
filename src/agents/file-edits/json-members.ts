import { type Json, readJson, removeValue, setMember, valueAt } from "./edit-json.ts";
import type { Earlier, FileEdit } from "./file-edit.ts";

/**
 * One member to set: where, and to what. `undefined` leaves the member as the person has it, and takes away what an
 * earlier installation wrote there.
 */
export type JsonMember = readonly [path: readonly string[], value: Json | undefined];

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
    install: (text = "", earlier) =>
      members.reduce((current, [place, value]) => {
        if (value !== undefined) return setMember(current, place, value);
        return earlier ? restoreMember(current, place, earlier) : current;
      }, text),
    uninstall(text, earlier) {
      if (text === undefined) return undefined;
      const left = members.reduce((current, [place, value]) => {
        if (earlier) return restoreMember(current, place, earlier);
        return isEqual(valueAt(current, place), value) ? removeValue(current, place) : current;
      }, text);
      return left !== text && JSON.stringify(readJson(left)) === "{}" ? undefined : left;
    },
  };
}

/** Gives a member the value it had before the installation, unless somebody has changed it since. */
function restoreMember(text: string, place: readonly string[], { original, written }: Earlier): string {
  const ours = valueAt(written, place);
  if (ours === undefined || !isEqual(valueAt(text, place), ours)) return text;
  const before = original === undefined ? undefined : valueAt(original, place);
  return isJson(before) ? setMember(text, place, before) : removeValue(text, place);
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What was read from JSON is JSON; only a missing value is not. */
function isJson(value: unknown): value is Json {
  return value !== undefined;
}
