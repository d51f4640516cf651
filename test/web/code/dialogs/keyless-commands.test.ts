import { describe, expect, it } from "vitest";
import type { DiffIndex, DiffSource } from "../../../../src/review/api-types.ts";
import { prepareCodePage } from "../../../support/code-page-modules.ts";

prepareCodePage();
const { keylessCommands } = await import("../../../../web/code/dialogs/keyless-commands.ts");
const { useSession } = await import("../../../../web/code/state/session.ts");
const { useView } = await import("../../../../web/code/state/view.ts");

const labelsFor = (source: DiffSource) => {
  const gitContext = { diffOptions: [], moreDiffOptions: [] };
  const index = { source, gitContext } as unknown as DiffIndex;
  const session = { ...useSession.getInitialState(), index };
  return keylessCommands(session, useView.getInitialState()).map(({ label }) => label);
};

describe("the commands without a key", () => {
  it.each([
    ["git", true],
    ["jj", false],
    ["sapling", false],
    ["patch", false],
    ["files", false],
    ["pr", false],
  ] as const)("compare with another commit only in a git repository: %s", (source, isListed) => {
    expect(labelsFor(source).includes("Compare with another commit or base …")).toBe(isListed);
  });
});
