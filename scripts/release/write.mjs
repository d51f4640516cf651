// Writes the Homebrew formula, the winget manifests, the install script and the notes of a release.
//   node scripts/release/write.mjs --repository OWNER/NAME --checksums SHA256SUMS --output FOLDER
// The release workflow runs it with the name of its own repository.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { root } from "../bundle.mjs";
import { parseChecksums } from "./facts.mjs";
import { releaseFiles } from "./manifests.mjs";

const { values } = parseArgs({
  options: {
    repository: { type: "string" },
    checksums: { type: "string", default: "SHA256SUMS" },
    output: { type: "string" },
  },
});
const { repository = "", checksums, output } = values;
if (!/^[\w-]+\/[\w.-]+$/.test(repository) || output === undefined)
  throw new Error("Usage: write.mjs --repository OWNER/NAME --checksums SHA256SUMS --output FOLDER");
const files = releaseFiles(
  repository,
  parseChecksums(readFileSync(checksums, "utf8")),
  readFileSync(resolve(root, "CHANGELOG.md"), "utf8"),
);
for (const [path, text] of Object.entries(files)) {
  mkdirSync(dirname(join(output, path)), { recursive: true });
  writeFileSync(join(output, path), text, { mode: path.endsWith(".sh") ? 0o755 : 0o644 });
}
process.stderr.write(`${Object.keys(files).join("\n")}\n`);
