import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { addFindings } from "../../../../src/cli/review/live/add-sarif.ts";
import { parseSarif } from "../../../../src/review/live/parse-sarif.ts";
import { codeServer } from "../../../support/code-server.ts";
import { planServer } from "../../../support/plan-server.ts";
import { recordOutput } from "../../../support/record-output.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { testRepository } from "../../../support/test-repository.ts";

/** Returns a SARIF file with a number of findings in a file. */
function sarif(count: number, uri = "a.ts"): string {
  const physicalLocation = { artifactLocation: { uri }, region: { startLine: 1 } };
  const results = Array.from({ length: count }, (_, index) => ({
    message: { text: `Finding ${index}` },
    locations: [{ physicalLocation }],
  }));
  return JSON.stringify({ version: "2.1.0", runs: [{ tool: { driver: { name: "ESLint" } }, results }] });
}

it.each([
  [0, []],
  [1, ["1 finding refers to lines outside this review. It was added to the review as a whole."]],
  [2, ["2 findings refer to lines outside this review. They were added to the review as a whole."]],
])(
  "adds findings outside the review (%i) to the review as a whole, and reports them",
  async (count, expected) => {
    const { context } = await planServer();
    const { notes, output } = recordOutput();
    const store = await context.threads.open();
    await addFindings(parseSarif(sarif(count), "lint.sarif"), store, context, output);
    expect(notes).toEqual(expected);
    expect([...store.log.threads.values()].map(({ anchor }) => anchor.kind)).toEqual(
      Array(count).fill("review"),
    );
  },
);

it("finds the file of an absolute path that contains a symbolic link", async () => {
  const repository = await testRepository({ "src/a.ts": "old\n" });
  await repository.write({ "src/a.ts": "new\n" });
  const link = join(await temporaryFolder(), "link");
  await symlink(repository.root, link);
  const { context } = await codeServer(repository);
  const store = await context.threads.open();
  const { href } = pathToFileURL(join(link, "src/a.ts"));
  const { notes, output } = recordOutput();
  await addFindings(parseSarif(sarif(1, href), "lint.sarif"), store, context, output);
  const [thread] = store.log.threads.values();
  expect(thread?.anchor).toMatchObject({ kind: "lines", path: "src/a.ts" });
  expect(notes).toEqual([]);
});

it.each([
  ["in the repository", "app/", "a.ts"],
  ["of another machine", undefined, "app/a.ts"],
])("finds the file of a path that is relative to a folder %s", async (_, folder, uri) => {
  const repository = await testRepository({ "app/a.ts": "old\n" });
  await repository.write({ "app/a.ts": "new\n" });
  const { context } = await codeServer(repository);
  const store = await context.threads.open();
  const base = folder === undefined ? "file:///ci/repo/" : pathToFileURL(join(repository.root, folder)).href;
  const [run] = JSON.parse(sarif(1, uri)).runs;
  run.results[0].locations[0].physicalLocation.artifactLocation.uriBaseId = "BASE";
  const log = { version: "2.1.0", runs: [{ ...run, originalUriBaseIds: { BASE: { uri: base } } }] };
  await addFindings(parseSarif(JSON.stringify(log), "lint.sarif"), store, context, recordOutput().output);
  const [thread] = store.log.threads.values();
  expect(thread?.anchor).toMatchObject({ kind: "lines", path: "app/a.ts" });
});
