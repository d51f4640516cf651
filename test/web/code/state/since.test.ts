import { afterEach, describe, expect, it } from "vitest";
import type { DiffRound } from "../../../../src/review/api-types.ts";
import { prepareCodePage } from "../../../support/code-page-modules.ts";

prepareCodePage();
const { earlierComments } = await import("../../../../web/code/state/since.ts");
const { useRounds } = await import("../../../../web/code/state/rounds.ts");
const { useSession } = await import("../../../../web/code/state/session.ts");

afterEach(() => {
  useRounds.setState(useRounds.getInitialState(), true);
  useSession.setState(useSession.getInitialState(), true);
});

describe("comments of the last round", () => {
  it("state what has changed: the lines or, for a comment on a whole file, the file", () => {
    const shared = { type: "comment", filePath: "a.ts", side: "new" } as const;
    const annotations = [
      { ...shared, id: "file", lineStart: 0, lineEnd: 0 },
      { ...shared, id: "lost", lineStart: 3, lineEnd: 3, code: "lost" },
      { ...shared, id: "kept", lineStart: 5, lineEnd: 5, code: "kept" },
    ];
    useSession.setState({ since: 1 });
    useRounds.setState({
      rounds: [{ round: 1, annotations } as unknown as DiffRound],
      positions: new Map([["kept", { id: "kept", lineStart: 5, lineEnd: 5 }]]),
    });
    expect(earlierComments().map(({ state }) => state)).toEqual([
      "file changed since",
      "these lines have changed since",
      "lines unchanged since",
    ]);
  });
});
