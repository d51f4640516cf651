import { constants, existsSync } from "node:fs";
import { access, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { AppError } from "../../errors.ts";
import { toRealPath } from "../../files/real-path.ts";
import { isWithin } from "../../review/is-within.ts";
import type { ComparedPath } from "../../review/patch/files-origin.ts";

/** A file or folder as the person named it, and its absolute path with links resolved. */
interface NamedPath {
  readonly given: string;
  readonly path: string;
  readonly isFolder: boolean;
}

/**
 * Returns the paths of `review files`; with `against`, also the path that each is compared with. Two folders or two
 * files are compared with each other; otherwise `against` is a folder that contains the same relative paths. Throws
 * `usage` if a path cannot be read or compared.
 */
export async function comparedPaths(
  given: readonly string[],
  against: string | undefined,
): Promise<readonly ComparedPath[]> {
  const found = await Promise.all(given.map(findPath));
  if (against === undefined) return found.map(({ path }) => ({ path }));
  const base = await findPath(against);
  const same = found.find(({ path }) => path === base.path);
  if (same)
    throw new AppError("usage", `Cannot compare ${same.given} with itself`, {
      hint: `Leave ${same.given} out of the paths, or name another file or folder with --against.`,
    });
  const [only] = found;
  if (only && found.length === 1 && only.isFolder === base.isFolder) return [pairOf(only, base)];
  if (base.isFolder) return counterparts(found, base);
  throw new AppError("usage", `Cannot compare ${given.join(", ")} with the file ${against}`, {
    hint: "Name one file to compare with a file, or a folder with --against.",
  });
}

function pairOf(named: NamedPath, base: NamedPath): ComparedPath {
  if (isWithin(base.path, named.path))
    throw new AppError("usage", `Cannot compare ${named.given} with ${base.given}, which contains it`, {
      hint: "Name another folder with --against.",
    });
  return { path: named.path, against: base.path };
}

/** Returns each path with the same relative path in the folder `base`. */
function counterparts(found: readonly NamedPath[], base: NamedPath): readonly ComparedPath[] {
  const directory = toRealPath(resolve("."));
  const compared = found.map(({ given, path }) => {
    if (!isWithin(directory, path))
      throw new AppError(
        "usage",
        `Cannot find ${given} in ${base.given}: it is not in the working directory`,
        {
          hint: `Paths are compared with the same relative paths in ${base.given}. Run the command in the folder of the paths.`,
        },
      );
    const against = join(base.path, relative(directory, path));
    if (against === path)
      throw new AppError("usage", `Cannot compare ${given} with itself: it is in ${base.given}`, {
        hint: "Name another folder with --against.",
      });
    return { path, against };
  });
  if (compared.some(({ against }) => existsSync(against))) return compared;
  const [first = ""] = compared.map(({ against }) => join(base.given, relative(base.path, against)));
  throw new AppError("usage", `Found nothing in ${base.given} to compare with`, {
    hint: `Paths are compared with the same relative paths in ${base.given}, for example ${first}. To compare two files or two folders with each other, name one path, and the other with --against.`,
  });
}

async function findPath(given: string): Promise<NamedPath> {
  const path = toRealPath(resolve(given));
  const found = given === "" ? undefined : await stat(path).catch(() => undefined);
  if (found?.isDirectory() || found?.isFile()) {
    await access(path, constants.R_OK).catch((cause: unknown) => {
      throw new AppError("usage", `Cannot read ${given}: permission denied`, {
        cause,
        hint: "Check its mode and owner.",
      });
    });
    return { given, path, isFolder: found.isDirectory() };
  }
  if (found) throw new AppError("usage", `Cannot review ${given}: it is neither a file nor a folder`);
  throw new AppError("usage", `No such file or folder: ${given || '""'}`, {
    hint: "Check the spelling. Paths are relative to the working directory.",
  });
}
