import { expect, it } from "vitest";
import { addFindings } from "../../../../src/cli/review/live/add-sarif.ts";
import { parseSarif } from "../../../../src/review/live/parse-sarif.ts";
import { planServer } from "../../../support/plan-server.ts";

/** Returns a SARIF file with a number of findings in a file. */
function sarif(count: number): string {
  const physicalLocation = { artifactLocation: { uri: "a.ts" }, region: { startLine: 1 } };
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
    const notes: string[] = [];
    const output = {
      note: (text: string) => void notes.push(text),
      result: async () => true,
      lostResult: false,
      interactive: false,
    };
    const store = await context.threads.open();
    await addFindings(parseSarif(sarif(count), "lint.sarif"), store, context, output);
    expect(notes).toEqual(expected);
    expect([...store.log.threads.values()].map(({ anchor }) => anchor.kind)).toEqual(
      Array(count).fill("review"),
    );
  },
);
