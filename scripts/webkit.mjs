// Finds or installs WebKitGTK's driver, its small browser and an X server for it (Debian, Ubuntu).
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { canInstall, install, updateLists } from "./apt.mjs";
import { tryAgain } from "./try-again.mjs";

const DRIVER = "/usr/bin/WebKitWebDriver";
const XVFB = "/usr/bin/Xvfb";

/** Returns the paths of the programs, or undefined if one is missing. */
export function findWebKit() {
  const browser = libraryFolders()
    .map((folder) => join(folder, "webkit2gtk-4.1/MiniBrowser"))
    .find((path) => existsSync(path));
  if (!browser || !existsSync(DRIVER) || !existsSync(XVFB)) return undefined;
  return { driver: DRIVER, browser, xvfb: XVFB };
}

/** Ensures that the programs are installed. Throws an error that names the missing packages. */
export async function ensureWebKit() {
  if (findWebKit()) return;
  if (canInstall()) {
    process.stderr.write("Installing the packages webkit2gtk-driver and xvfb for the browser tests …\n");
    await tryAgain("Installing the packages", () => {
      updateLists();
      install("webkit2gtk-driver", "xvfb");
    });
  }
  if (!findWebKit())
    throw new Error(
      "not installed. Run sudo apt-get install webkit2gtk-driver xvfb, then npm run test:webkit",
    );
}

function libraryFolders() {
  if (!existsSync("/usr/lib")) return [];
  const names = readdirSync("/usr/lib").filter((name) => name.endsWith("-linux-gnu"));
  return names.map((name) => join("/usr/lib", name));
}
