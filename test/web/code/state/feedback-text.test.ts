import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { prepareCodePage } from "../../../support/code-page-modules.ts";

prepareCodePage();
const { useComments } = await import("../../../../web/code/state/comments.ts");
const { composeFeedback } = await import("../../../../web/code/state/compose-feedback.ts");
const { keepEditedFeedback, useEditedFeedback } = await import(
  "../../../../web/code/state/edited-feedback.ts"
);
const { changeFeedbackText, openFeedbackText, textToSend, useFeedbackText } = await import(
  "../../../../web/code/state/feedback-text.ts"
);

const comment = (text: string) =>
  ({
    id: text,
    type: "comment",
    text,
    images: [],
    createdAt: "2026-01-01T00:00:00Z",
    diff: { type: "uncommitted", label: "Uncommitted changes" },
  }) as const;
const [first, second] = [comment("Why?"), comment("And this?")];

let close: () => void = () => {};
beforeEach(() => useComments.setState({ comments: [first] }));
afterEach(() => {
  close();
  useComments.setState(useComments.getInitialState(), true);
  useEditedFeedback.setState({ edited: undefined });
});

/** Opens the dialog. Returns the composed text. */
async function open(): Promise<string> {
  close = openFeedbackText();
  await composed();
  return useFeedbackText.getState().feedback?.markdown ?? "";
}

/** Resolves once the feedback of the current comments is shown. */
const composed = () =>
  expect.poll(() => useFeedbackText.getState().comments).toBe(useComments.getState().comments);

/** Merges the draft of another tab, which stores the edit before the comments. */
function merge(edited: { composed: string; text: string }, comments = [first]): void {
  useEditedFeedback.setState({ edited });
  useComments.setState({ comments });
}

const shown = () => textToSend(useFeedbackText.getState());
const offered = () => useFeedbackText.getState().before?.text;

describe("the text of the open dialog", () => {
  it("offers the edit that another tab's edit of another text has replaced", async () => {
    const raw = await open();
    changeFeedbackText("Mine");
    const theirs = { composed: "of another diff", text: "of another diff!" };
    merge(theirs);
    await composed();
    expect(shown()).toBe(raw);
    expect(offered()).toBe("Mine");
    expect(useEditedFeedback.getState().edited).toEqual(theirs);
    changeFeedbackText(offered() ?? "");
    expect(shown()).toBe("Mine");
    expect(useEditedFeedback.getState().edited).toEqual({ composed: raw, text: "Mine" });
  });

  it("keeps the edit that another tab's next edits have replaced", async () => {
    await open();
    changeFeedbackText("Mine");
    for (const text of ["of another diff!", "of another diff!!"]) {
      merge({ composed: "of another diff", text });
      await composed();
    }
    expect(offered()).toBe("Mine");
  });

  it("has the edit that arrives with its comments, also if a key is pressed before they are composed", async () => {
    const raw = await open();
    useComments.setState({ comments: [first, second] });
    const both = (await composeFeedback()).markdown;
    useComments.setState({ comments: [first] });
    await composed();
    changeFeedbackText("Mine");
    const theirs = { composed: both, text: `${both}\nTheirs` };
    merge(theirs, [first, second]);
    expect(shown()).toBe("Mine");
    changeFeedbackText(`${raw}x`);
    await composed();
    expect(useEditedFeedback.getState().edited).toEqual(theirs);
    expect(shown()).toBe(theirs.text);
    expect(offered()).toBe("Mine");
  });

  it("has the edit and the comment that arrives later", async () => {
    const raw = await open();
    changeFeedbackText(`${raw}\nMine`);
    useComments.setState({ comments: [first, second] });
    await composed();
    expect(shown()).toContain("Mine");
    expect(shown()).toContain("And this?");
    expect(offered()).toBeUndefined();
  });

  it("offers an edit made before the dialog was closed and a comment was added", async () => {
    keepEditedFeedback("earlier", "earlier, edited");
    const raw = await open();
    expect(shown()).toBe(raw);
    expect(offered()).toBe("earlier, edited");
    changeFeedbackText("typed");
    expect(shown()).toBe("typed");
  });
});
