// Ends a command before the tests of a browser that is missing or does not start, and prints what to install.
// Usage: node scripts/expect-browser.mjs chromium|firefox
import * as chromium from "./chromium.mjs";
import { expectToRun } from "./expect-to-run.mjs";
import * as firefox from "./firefox.mjs";

const BROWSERS = {
  chromium: { title: "Chromium", find: chromium.findChromium, howTo: chromium.HOW_TO_INSTALL },
  firefox: { title: "Firefox", find: firefox.findFirefox, howTo: firefox.HOW_TO_INSTALL },
};

const { title, find, howTo } = BROWSERS[process.argv[2]];
try {
  const found = find();
  if (!found) throw new Error(`${title} is not installed`);
  expectToRun(found);
} catch (error) {
  process.stderr.write(`\nTHE TESTS IN ${title.toUpperCase()} WERE NOT RUN: ${error.message}. ${howTo}\n`);
  process.exitCode = 1;
}
