import { delimiter } from "node:path";

/** A program and its arguments, without the URL. */
export type BrowserCommand = readonly [program: string, ...args: string[]];

/** The placeholder for the URL in a command's arguments. */
const ADDRESS = "%s";

/** Matches the arguments of a command line, with quotes and backslash escapes. */
const WORD = /(?:"[^"]*"|'[^']*'|\\[\s"']|[^\s"'])+/g;
const QUOTED = /"([^"]*)"|'([^']*)'|\\([\s"'])/g;

/**
 * Parses `BROWSER` like xdg-open and Python's webbrowser: commands separated by `:` (`;` on Windows), tried in turn.
 * The whole value is tried first, as one command. Each command is interpreted first as the name of a program, then as a
 * command line. https://gitlab.freedesktop.org/xdg/xdg-specs/-/issues/119
 */
export function browserCommands(browser: string, separator: string = delimiter): BrowserCommand[] {
  const commands = [browser, ...browser.split(separator)].flatMap((text): BrowserCommand[] => {
    const name = text.trim();
    const [program, ...args] = splitCommandLine(name);
    if (name === "" || program === undefined) return [];
    return program === name ? [[name]] : [[name], [program, ...args]];
  });
  return commands.filter((command, index) => firstLike(command, commands) === index);
}

/**
 * Returns a command's arguments with `%s` replaced by the URL, or with the URL appended if no argument
 * contains `%s`.
 */
export function argumentsWith(address: string, [, ...args]: BrowserCommand): string[] {
  if (!args.some((arg) => arg.includes(ADDRESS))) return [...args, address];
  return args.map((arg) => arg.replaceAll(ADDRESS, () => address));
}

/** Splits a command line. A final `&` is dropped: browsers are always started in the background. */
function splitCommandLine(text: string): string[] {
  const args = text.match(WORD) ?? [];
  const meant = args.at(-1) === "&" ? args.slice(0, -1) : args;
  return meant.map((arg) => arg.replace(QUOTED, (_all, double, single, one) => double ?? single ?? one));
}

function firstLike(command: BrowserCommand, commands: readonly BrowserCommand[]): number {
  return commands.findIndex((other) => JSON.stringify(other) === JSON.stringify(command));
}
