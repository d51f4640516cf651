import { afterAll, expect, it, vi } from "vitest";
import type { DiffFile } from "../../../../src/review/api-types.ts";

// The theme and the width of the window are read as soon as their modules are loaded.
vi.stubGlobal("matchMedia", () => new EventTarget());
vi.stubGlobal("innerWidth", 1_200);
vi.stubGlobal("document", { querySelector: () => null, querySelectorAll: () => [] });
vi.stubGlobal("CSS", { escape: (text: string) => text });
afterAll(() => void vi.unstubAllGlobals());
// Another file of this thread may have loaded some of the modules before modules were reset, and others after.
vi.resetModules();
const { useAsk } = await import("../../../../web/shared/ask/ask-store.ts");
const { askAbout } = await import("../../../../web/code/comments/ask-about.ts");
const { useComments } = await import("../../../../web/code/state/comments.ts");

it("an answer about a file is inserted into a comment on this file", () => {
  useAsk.setState({ model: "small" });
  askAbout(undefined, { path: "src/a.ts" } as DiffFile);
  useAsk.getState().about?.insert?.("It parses.");
  expect(useComments.getState().comments).toMatchObject([{ path: "src/a.ts", text: "It parses." }]);
});
