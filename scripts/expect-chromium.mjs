// Ends `npm test` before its browser tests if there is no Chromium, and prints what to install.
import { expectToRun, findChromium, HOW_TO_INSTALL } from "./chromium.mjs";

try {
  const found = findChromium();
  if (!found) throw new Error("Chromium is not installed");
  expectToRun(found);
} catch (error) {
  process.stderr.write(`\nTHE BROWSER TESTS WERE NOT RUN: ${error.message}. ${HOW_TO_INSTALL}\n`);
  process.exitCode = 1;
}
