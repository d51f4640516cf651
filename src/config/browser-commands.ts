import { delimiter } from "node:path";

/** A program and what it is handed, in order; the address is not among it yet. */
export type BrowserCommand = readonly [program: string, ...words: string[]];

/** Stands for the address among a command's words. */
const ADDRESS = "%s";

/** Words of a command line: quotes hold one together, a backslash takes the meaning from a blank or a quote. */
const WORD = /(?:"[^"]*"|'[^']*'|\\[\s"']|[^\s"'])+/g;
const QUOTED = /"([^"]*)"|'([^']*)'|\\([\s"'])/g;

/**
 * What `BROWSER` can mean, as xdg-open and Python's webbrowser read it: commands between `:` (`;` on Windows), to be
 * tried in turn. A text is first taken for one program's name, whatever is in it, and then as a command line.
 * https://gitlab.freedesktop.org/xdg/xdg-specs/-/issues/119
 */
export function browserCommands(browser: string, separator: string = delimiter): BrowserCommand[] {
  const commands = [browser, ...browser.split(separator)].flatMap((text): BrowserCommand[] => {
    const name = text.trim();
    const [program, ...words] = wordsOf(name);
    if (name === "" || program === undefined) return [];
    return program === name ? [[name]] : [[name], [program, ...words]];
  });
  return commands.filter((command, index) => firstLike(command, commands) === index);
}

/** The words behind a command's program: the address where `%s` stands, else behind the others. */
export function argumentsWith(address: string, [, ...words]: BrowserCommand): string[] {
  if (!words.some((word) => word.includes(ADDRESS))) return [...words, address];
  return words.map((word) => word.replaceAll(ADDRESS, () => address));
}

/** A `&` at the end asks for what happens anyway: nobody waits for a browser. */
function wordsOf(text: string): string[] {
  const words = text.match(WORD) ?? [];
  const meant = words.at(-1) === "&" ? words.slice(0, -1) : words;
  return meant.map((word) => word.replace(QUOTED, (_all, double, single, one) => double ?? single ?? one));
}

function firstLike(command: BrowserCommand, commands: readonly BrowserCommand[]): number {
  return commands.findIndex((other) => JSON.stringify(other) === JSON.stringify(command));
}
