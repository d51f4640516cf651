import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { getAsset, isSea } from "node:sea";
import { AppError, getErrorMessage } from "../errors.ts";
import type { Output } from "./output.ts";

const SEPARATOR = `\n${"=".repeat(80)}\n\n`;

/** Prints the license of Sallyport and the licenses of all bundled code. Resolves to the exit code. */
export async function licenses(output: Output, folder = import.meta.dirname): Promise<number> {
  await output.result(isSea() ? getAsset("licenses.txt", "utf8") : await licensesBeside(folder));
  return 0;
}

/** Reads the license files of the package. `folder` is `dist/parts`, or `src/cli` in a built source tree. */
async function licensesBeside(folder: string): Promise<string> {
  // `dist/parts` and `src/cli` are both two folders below the package.
  const packageFolder = join(folder, "../..");
  const files = ["LICENSE", "dist/THIRD-PARTY-LICENSES.txt"].map((file) => join(packageFolder, file));
  const read = (file: string) =>
    readFile(file, "utf8").catch((cause) => {
      throw new AppError("unreadable", `Cannot read ${file}: ${getErrorMessage(cause)}`, {
        cause,
        hint: "Install Sallyport again, or run `npm run build` in a clone.",
      });
    });
  return (await Promise.all(files.map(read))).join(SEPARATOR);
}
