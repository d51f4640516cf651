/** Characters that cmd.exe interprets outside of quotes. */
const SPECIAL = /[()[\]%!^"`<>&|;, *?]/g;

/**
 * Returns the arguments with which cmd.exe runs a script (.cmd, .bat), to be passed verbatim. `/s` removes only the
 * outer quotes. cmd.exe reads the script's arguments twice, because the script passes them on as `%*`. Pure.
 */
export function toScriptArguments(script: string, args: readonly string[]): readonly string[] {
  const line = [escaped(script), ...args.map((arg) => escaped(escaped(quoted(arg))))].join(" ");
  return ["/d", "/s", "/c", `"${line}"`];
}

/**
 * Quotes an argument as programs for Windows parse it: a backslash is special only before a quote. Source:
 * https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments
 */
function quoted(arg: string): string {
  return `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, "$1$1")}"`;
}

/** Escapes every character that cmd.exe interprets, quotes included, so that none opens a quoted section. */
function escaped(text: string): string {
  return text.replace(SPECIAL, "^$&");
}
