import type { Command, Option } from "commander";

/** Describes a flag for shell completion. */
export interface FlagFacts {
  /** The long name, such as "--port". Flags without one are not completed. */
  readonly name: string;
  readonly description: string;
  readonly takesValue: boolean;
  /** The known values, if any. */
  readonly values: readonly string[];
  /** The kind of paths that complete the value. */
  readonly paths: "none" | "files" | "folders";
}

/** Describes a command for shell completion. */
export interface CommandFacts {
  /** The full command name: "sallyport review plan". */
  readonly path: string;
  readonly description: string;
  readonly flags: readonly FlagFacts[];
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  /** The known values of the command's argument, if any. */
  readonly values: readonly string[];
  /** Whether the command takes an argument without known values, such as a file name. */
  readonly takesFiles: boolean;
}

/** Known values by flag ("--origin"), argument ("agent") or a command's argument ("sallyport run <agent>"). */
export type KnownValues = Readonly<Record<string, readonly string[]>>;

/** Returns the program and its visible subcommands, without `help`, as a list, the program first. */
export function commandTree(program: Command, known: KnownValues, above = ""): readonly CommandFacts[] {
  const path = `${above} ${program.name()}`.trim();
  const visible = program.createHelp().visibleCommands(program);
  const children = visible.filter((command) => command.name() !== "help");
  const own: CommandFacts = {
    path,
    description: program.description(),
    flags: program
      .createHelp()
      .visibleOptions(program)
      .flatMap((option) => flagFacts(option, known)),
    commands: children.map((command) => ({ name: command.name(), description: firstLine(command) })),
    values: program.registeredArguments.flatMap(
      (argument) => known[`${path} <${argument.name()}>`] ?? known[argument.name()] ?? [],
    ),
    takesFiles: program.registeredArguments.some((argument) => known[argument.name()] === undefined),
  };
  return [own, ...children.flatMap((child) => commandTree(child, known, path))];
}

function flagFacts(option: Option, known: KnownValues): FlagFacts[] {
  if (option.long === undefined || option.long === null) return [];
  const takesValue = option.required || option.optional;
  const { long: name, description } = option;
  return [{ name, description, takesValue, values: known[name] ?? [], paths: pathsFor(option) }];
}

/**
 * Derives from a flag's placeholder which paths complete its value: any path for `<file>` and `<path>`, folders for
 * `<dir>`.
 */
function pathsFor({ flags }: Option): FlagFacts["paths"] {
  if (/<(?:file|path)>/.test(flags)) return "files";
  return flags.includes("<dir>") ? "folders" : "none";
}

function firstLine(command: Command): string {
  return command.description().split("\n")[0] ?? "";
}

/** Returns the `case` pattern that matches every command below the program in bash and zsh: "a b"|"a c". */
export function pathsBelow(tree: readonly CommandFacts[]): string {
  return tree
    .slice(1)
    .map(({ path }) => `"${path}"`)
    .join("|");
}

/** Returns every flag that takes a value, with its command. */
export function flagsWithValue(
  tree: readonly CommandFacts[],
): readonly (FlagFacts & { readonly path: string })[] {
  return tree.flatMap(({ path, flags }) =>
    flags.filter(({ takesValue }) => takesValue).map((flag) => ({ ...flag, path })),
  );
}
