import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { DiffFile, DiffIndex } from "../../../../src/review/api-types.ts";
import { prepareCodePage } from "../../../support/code-page-modules.ts";

prepareCodePage();
const { DiffController } = await import("../../../../web/code/diff/controller.ts");
const { useSession } = await import("../../../../web/code/state/session.ts");
const { PatchStore } = await import("../../../../web/code/state/patch-store.ts");
const { useView } = await import("../../../../web/code/state/view.ts");

const LINES = 400;
const PATCH = `@@ -0,0 +1,${LINES} @@\n${Array.from({ length: LINES }, (_, at) => `+line ${at + 1}\n`).join("")}`;
const line = { path: "a.ts", side: "new", number: 300 } as const;

/** Shows a file whose patch arrives when the test puts it into the store. */
function showFile() {
  const file: DiffFile = {
    index: 0,
    path: "a.ts",
    status: "added",
    additions: LINES,
    deletions: 0,
    binary: false,
    generated: false,
    patchSize: PATCH.length,
    fingerprint: "f",
  };
  const patches = new PatchStore(
    [file],
    () => new Promise(() => {}),
    () => {},
  );
  const controller = new DiffController();
  useSession.setState({ index: { diffType: "uncommitted" } as DiffIndex, files: [file], patches });
  const stop = controller.start();
  controller.attach({ scrollTop: 0 } as HTMLElement, { height: 600, columns: 80 });
  const receive = () => {
    patches.put(0, PATCH);
    controller.update();
  };
  return { controller, receive, stop };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => {
  vi.useRealTimers();
  useSession.setState(useSession.getInitialState(), true);
  useView.setState(useView.getInitialState(), true);
});

describe("scrolling to a line whose patch is not loaded", () => {
  it("happens when the patch arrives within 10 s", () => {
    const { controller, receive, stop } = showFile();
    controller.scrollToLine(line);
    vi.advanceTimersByTime(9_000);
    receive();
    expect(controller.isInView(line)).toBe(true);
    stop();
  });

  it("does not happen after 10 s, even if the layout was updated in the meantime", () => {
    const { controller, receive, stop } = showFile();
    controller.scrollToLine(line);
    vi.advanceTimersByTime(9_000);
    useView.setState({ tabWidth: 8 });
    vi.advanceTimersByTime(2_000);
    receive();
    expect(controller.isInView(line)).toBe(false);
    stop();
  });
});
