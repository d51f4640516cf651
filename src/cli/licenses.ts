import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { getAsset, isSea } from "node:sea";
import { AppError } from "../errors.ts";
import { getReadReason } from "../files/read-reason.ts";
import type { Output } from "./output.ts";

export interface LicensesFlags {
  readonly json: boolean;
}

const SEPARATOR = `\n${"=".repeat(80)}\n\n`;

/** Prints the license of Sallyport and the licenses of all bundled code. Resolves to the exit code. */
export async function licenses(
  { json }: LicensesFlags,
  output: Output,
  folder = import.meta.dirname,
): Promise<number> {
  const text = isSea() ? getAsset("licenses.txt", "utf8") : await licensesBeside(folder);
  await output.result(json ? JSON.stringify({ licenses: parseLicenses(text) }, null, 2) : text);
  return 0;
}

/** A license text with the packages that it covers. The licenses of Sallyport and Node.js list no packages. */
interface License {
  readonly packages: readonly {
    readonly name: string;
    readonly version: string;
    readonly license: string;
  }[];
  readonly text: string;
}

/** Parses the license file. A section can begin with lines of the form `name version: license`. */
export function parseLicenses(text: string): readonly License[] {
  return text.split(/\n(?:={80}|-{80})\n\n/).map((section) => {
    const body = section.replace(/^Sallyport contains code of these packages\.\n\n/, "");
    const [head = "", ...rest] = body.split("\n\n");
    const packages = head.split("\n").map((line) => /^(.+) (\d\S*): (.+)$/.exec(line));
    if (!packages.every((found) => found !== null)) return { packages: [], text: body.trim() };
    return {
      packages: packages.map(([, name = "", version = "", license = ""]) => ({ name, version, license })),
      text: rest.join("\n\n").trim(),
    };
  });
}

/** Reads the license files of the package. `folder` is that of this module. */
async function licensesBeside(folder: string): Promise<string> {
  // The module is in `dist/parts` or, in a source tree, in `src/cli`.
  const packageFolder = join(folder, "../..");
  const files = ["LICENSE", "dist/THIRD-PARTY-LICENSES.txt"].map((file) => join(packageFolder, file));
  const read = (file: string) =>
    readFile(file, "utf8").catch((cause) => {
      throw new AppError("unreadable", `Cannot read ${file}: ${getReadReason(cause)}`, {
        cause,
        hint: "Install Sallyport again, or run `npm run build` in a clone.",
      });
    });
  return (await Promise.all(files.map(read))).join(SEPARATOR);
}
