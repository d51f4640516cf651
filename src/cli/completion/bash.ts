import { type CommandFacts, type FlagFacts, flagsWithValue, pathsBelow } from "./command-tree.ts";

/**
 * Returns a completion script for bash 3.2 and newer, to be sourced. Bash before version 4 lacks `compopt`, so it
 * completes file names wherever the script has no candidates. Bash splits `--flag=value` into three words.
 */
export function bashCompletion(tree: readonly CommandFacts[]): string {
  return `# bash completion for sallyport: eval "$(sallyport completion bash)"
_sallyport() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at=sallyport words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    # \`help review plan\` completes like \`review plan\`.
    [[ "\${COMP_WORDS[i]}" == help ]] && continue
    case "$at \${COMP_WORDS[i]}" in
      ${pathsBelow(tree)}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  if [[ "$cur" == "=" ]]; then cur=""; elif [[ "$prev" == "=" ]]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  COMPREPLY=()
  case "$at $prev" in
${flagCases(tree).join("\n")}
  esac
  case "$at" in
${tree.map(commandCase).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _sallyport sallyport
`;
}

/** The command that sets what bash completes if the script has no candidates, by kind of path. */
const OPTIONS: Readonly<Record<FlagFacts["paths"], string>> = {
  files: "",
  folders: "compopt +o default -o dirnames 2>/dev/null; ",
  none: "compopt +o default 2>/dev/null; ",
};

/** Returns the `case` branches of flags that take a value. */
function flagCases(tree: readonly CommandFacts[]): string[] {
  return flagsWithValue(tree).map(({ path, name, values, paths }) => {
    const reply = values.length > 0 ? `COMPREPLY=($(compgen -W "${values.join(" ")}" -- "$cur")); ` : "";
    return `    "${path} ${name}") ${OPTIONS[paths]}${reply}return ;;`;
  });
}

/**
 * Returns the `case` branch of one command. Flags are completed only after a dash, so that they do not hide commands
 * and files.
 */
function commandCase({ path, flags, commands, values, takesFiles }: CommandFacts): string {
  const plain = [...commands.map(({ name }) => name), ...values].join(" ");
  const dashed = flags.map(({ name }) => name).join(" ");
  const noFiles = takesFiles ? "" : "compopt +o default 2>/dev/null; ";
  return `    "${path}") ${noFiles}if [[ "$cur" == -* ]]; then words="${dashed}"; else words="${plain}"; fi ;;`;
}
