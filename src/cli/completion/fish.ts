import type { CommandFacts, FlagFacts } from "./command-tree.ts";

/**
 * Returns a completion script for fish 3 and newer, to be sourced or saved as `sallyport.fish` in fish's `completions`
 * folder.
 */
export function fishCompletion(tree: readonly CommandFacts[]): string {
  const paths = tree.slice(1).map(({ path }) => quoted(path));
  return `# fish completion for sallyport: sallyport completion fish | source
function __sallyport_at
  set -l at sallyport
  set -l words (commandline -opc)
  for word in $words[2..-1]
    test "$word" = help; and continue
    if contains -- "$at $word" ${paths.join(" ")}
      set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
complete -c sallyport -e
${tree.flatMap(formatCompletions).join("\n")}
`;
}

function formatCompletions({ path, flags, commands, values, takesFiles }: CommandFacts): string[] {
  const here = `complete -c sallyport -n ${quoted(`__sallyport_at ${quotedInside(path)}`)}`;
  return [
    ...(takesFiles ? [] : [`${here} -f`]),
    ...commands.map(({ name, description }) => `${here} -f -a ${name} -d ${quoted(description)}`),
    ...(values.length > 0 ? [`${here} -f -a ${quoted(values.join(" "))}`] : []),
    ...flags.map((flag) => `${here} ${formatFlag(flag)}`),
  ];
}

const PATHS: Readonly<Record<FlagFacts["paths"], string>> = {
  files: " -r -F",
  folders: " -x -a '(__fish_complete_directories)'",
  none: " -x",
};

function formatFlag({ name, description, takesValue, values, paths }: FlagFacts): string {
  const value = values.length > 0 ? ` -x -a ${quoted(values.join(" "))}` : takesValue ? PATHS[paths] : "";
  return `-l ${name.replace(/^--/, "")}${value} -d ${quoted(description)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

function quotedInside(text: string): string {
  return `"${text}"`;
}
