import type { Command } from "commander";

/**
 * Returns commander's message in the form of all other error messages. For an unknown command, names the commands of
 * this name elsewhere in the tree, such as `sallyport proxy connect` for "connect".
 */
export function formatUsageError(text: string, program: Command): string {
  const [first = "", ...rest] = text.trimEnd().split("\n");
  const message = /^error: (.*)/.exec(first)?.[1];
  if (message === undefined) return text.trimEnd();
  const name = /^unknown command '(.*)'$/.exec(message)?.[1];
  const elsewhere = name === undefined ? [] : listCommandsNamed(name, program, program.name());
  const hint = elsewhere.length > 0 ? [`(Did you mean ${elsewhere.join(" or ")}?)`] : rest;
  return [`sallyport: ${message} [usage]`, ...hint].join("\n");
}

function listCommandsNamed(name: string, parent: Command, path: string): readonly string[] {
  return parent.commands.flatMap((child) => {
    const own = `${path} ${child.name()}`;
    return [...(child.name() === name ? [own] : []), ...listCommandsNamed(name, child, own)];
  });
}
