import { type Environment, getNameInUse, readEnvironmentFile } from "../../../config/paths.ts";

/** An environment that records which of its variables are read. */
export interface RecordedEnvironment {
  readonly environment: Environment;
  /** The names of the variables that were read and are set. */
  readonly names: ReadonlySet<string>;
}

/** Returns an environment with the same variables that records which of them are read. */
export function recordReads(environment: Environment): RecordedEnvironment {
  const names = new Set<string>();
  const recording = new Proxy(environment, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof name === "string" && value) names.add(getInherited(environment, name));
      return value;
    },
  });
  return { environment: recording, names };
}

function getInherited(environment: Environment, name: string): string {
  return name.startsWith("SERVICE_") ? getNameInUse(environment, name as `SERVICE_${string}`) : name;
}

/** Matches variables that service managers set, and variables of folders, which the service's file names. */
const GIVEN =
  /^(?:PATH|HOME|USERPROFILE|XDG_\w+|APPDATA|LOCALAPPDATA|SystemRoot|(?:SERVICE|SALLYPORT)_(?:HOME|CONFIG))$/;

/**
 * Returns the variables of this shell on which the configuration depends and that neither the service's file nor
 * `envFile` sets.
 */
export async function listShellVariables(
  { names }: RecordedEnvironment,
  envFile: string | undefined,
): Promise<readonly string[]> {
  const inFile = envFile === undefined ? {} : await readEnvironmentFile(envFile);
  return [...names].filter((name) => !GIVEN.test(name) && !Object.hasOwn(inFile, name)).sort();
}
