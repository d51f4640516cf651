import { type CommandFacts, type FlagFacts, flagsWithValue, pathsBelow } from "./command-tree.ts";

/** Returns a completion script for zsh, to be sourced or saved as `_sallyport` in a folder of `fpath`. */
export function zshCompletion(tree: readonly CommandFacts[]): string {
  return `#compdef sallyport
# zsh completion for sallyport: eval "$(sallyport completion zsh)", after compinit
_sallyport() {
  local at=sallyport word files=
  local -a flags plain
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ "$word" == help ]]; then continue; fi
    case "$at $word" in
      (${pathsBelow(tree)}) at="$at $word" ;;
    esac
  done
  word="\${words[CURRENT-1]}"
  if compset -P '--*='; then word="\${IPREFIX%=}"; fi
  case "$at $word" in
${flagCases(tree).join("\n")}
  esac
  case "$at" in
${tree.map(commandCase).join("\n")}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then _describe -o option flags; return; fi
  if (( \${#plain} )); then _describe command plain; elif [[ -n "$files" ]]; then _files; fi
}
if [[ "\${funcstack[1]}" == _sallyport ]]; then _sallyport "$@"; else compdef _sallyport sallyport; fi
`;
}

const PATHS: Readonly<Record<FlagFacts["paths"], string>> = {
  files: "_files",
  folders: "_files -/",
  none: "_message value",
};

function flagCases(tree: readonly CommandFacts[]): string[] {
  return flagsWithValue(tree).map(({ path, name, values, paths }) => {
    const offer = values.length > 0 ? `compadd -- ${values.join(" ")}` : PATHS[paths];
    return `    ("${path} ${name}") ${offer}; return ;;`;
  });
}

function commandCase({ path, flags, commands, values, takesFiles }: CommandFacts): string {
  const plain = [
    ...commands.map(({ name, description }) => described(name, description)),
    ...values.map((value) => quoted(value)),
  ];
  const dashed = flags.map(({ name, description }) => described(name, description));
  const files = takesFiles ? " files=1" : "";
  return `    ("${path}") flags=(${dashed.join(" ")}) plain=(${plain.join(" ")})${files} ;;`;
}

function described(name: string, description: string): string {
  return quoted(`${name}:${description.replaceAll(":", "\\:")}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
