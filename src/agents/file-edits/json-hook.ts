import { appendElement, arrayAt, type Json, readJson, removeValue, replaceValue } from "./edit-json.ts";
import type { FileEdit } from "./file-edit.ts";

/** One entry of an agent's list of hooks: `{matcher, hooks: [{type, command, …}]}`. */
export interface JsonHook {
  readonly path: string;
  readonly purpose: string;
  /** The list that the agent reads, such as ["hooks", "PermissionRequest"]. */
  readonly list: readonly string[];
  readonly matcher: string;
  readonly hook: { readonly type: "command"; readonly command: string } & { readonly [name: string]: Json };
}

/**
 * Returns an edit that adds Sallyport's hook to an agent's JSON settings. It leaves other hooks unchanged, and
 * uninstalling removes only Sallyport's.
 */
export function jsonHook({ path, purpose, list, matcher, hook }: JsonHook): FileEdit {
  const entry: Json = { matcher, hooks: [hook] };
  return {
    path,
    purpose,
    install(text = "") {
      const [position, ...rest] = ourPositions(text, list);
      if (!position) return appendElement(text, list, entry);
      const once = rest.reverse().reduce((current, extra) => removeHook(current, list, extra), text);
      const current = hookAt(once, list, position);
      return JSON.stringify(current) === JSON.stringify(hook)
        ? once
        : replaceValue(once, [...list, ...position], hook);
    },
    uninstall(text) {
      if (text === undefined) return undefined;
      const left = ourPositions(text, list)
        .reverse()
        .reduce((current, position) => removeHook(current, list, position), text);
      return left !== text && JSON.stringify(readJson(left)) === "{}" ? undefined : left;
    },
  };
}

/** A hook's position in the list: the entry's index, "hooks", the index within the entry. */
type HookPosition = readonly [number, "hooks", number];

/** Returns the index of the entry with Sallyport's hook and the hook's index within it; undefined without a hook. */
export function findOwnHook(
  text: string,
  list: readonly string[],
): { readonly entry: number; readonly hook: number } | undefined {
  const [position] = ourPositions(text, list);
  return position && { entry: position[0], hook: position[2] };
}

/** Returns the position of every hook in the list that runs Sallyport's plan review, even if it was moved. */
function ourPositions(text: string, list: readonly string[]): HookPosition[] {
  return arrayAt(text, list).flatMap((entry, index) =>
    readHooks(entry).flatMap((hook, inner): HookPosition[] =>
      isOurs(hook) ? [[index, "hooks", inner]] : [],
    ),
  );
}

function isOurs(hook: unknown): boolean {
  return isObject(hook) && typeof hook["command"] === "string" && runsPlanReview(hook["command"]);
}

/** Reports whether a shell command runs Sallyport's plan review by name, by path, or as a script of node. */
function runsPlanReview(command: string): boolean {
  return /(^|[/\\\s"'])sallyport(\.js|\.exe|\.cmd)?["']?\s+review\s+plan\b/.test(command);
}

function removeHook(text: string, list: readonly string[], position: HookPosition): string {
  const [index] = position;
  const alone = readHooks(arrayAt(text, list)[index]).length === 1;
  return removeValue(text, alone ? [...list, index] : [...list, ...position]);
}

function hookAt(text: string, list: readonly string[], [index, , inner]: HookPosition): unknown {
  return readHooks(arrayAt(text, list)[index])[inner];
}

function readHooks(entry: unknown): readonly unknown[] {
  return isObject(entry) && Array.isArray(entry["hooks"]) ? entry["hooks"] : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
