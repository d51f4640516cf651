import { expect, it } from "vitest";
import type { DiffFile } from "../../../../src/review/api-types.ts";
import { prepareCodePage } from "../../../support/code-page-modules.ts";

prepareCodePage({
  document: { querySelector: () => null, querySelectorAll: () => [] },
  CSS: { escape: (text: string) => text },
});
const { useAsk } = await import("../../../../web/shared/ask/ask-store.ts");
const { askAbout } = await import("../../../../web/code/comments/ask-about.ts");
const { useComments } = await import("../../../../web/code/state/comments.ts");

it("an answer about a file is inserted into a comment on this file", () => {
  useAsk.setState({ model: "small" });
  askAbout(undefined, { path: "src/a.ts" } as DiffFile);
  useAsk.getState().about?.insert?.("It parses.");
  expect(useComments.getState().comments).toMatchObject([{ path: "src/a.ts", text: "It parses." }]);
});
