import { describe, expect, it } from "vitest";
import type { CodeAnnotation } from "../../../../src/review/api-types.ts";
import { feedbackText, NO_FEEDBACK } from "../../../../src/review/code/feedback/feedback-text.ts";

const about = { diff: 'diff "Uncommitted changes" (HEAD)', repository: "castle", branch: "moat" };
const annotation = (more: Partial<CodeAnnotation> = {}): CodeAnnotation => ({
  id: "1",
  type: "comment",
  filePath: "src/gate.ts",
  lineStart: 2,
  lineEnd: 3,
  side: "new",
  text: "Is it shut?",
  ...more,
});

describe("feedbackText", () => {
  it("states that there is no feedback", () => {
    expect(feedbackText({ ...about, feedback: " \n", annotations: [] })).toBe(NO_FEEDBACK);
  });

  it("returns feedback without annotations unchanged", () => {
    expect(feedbackText({ ...about, feedback: "Fine, but größer.\n", annotations: [] })).toBe(
      "Fine, but größer.\n",
    );
  });

  it("quotes path, lines, side and code of each annotation, grouped by file in line order", () => {
    const text = feedbackText({
      ...about,
      feedback: "Nearly there.",
      annotations: [
        { annotation: annotation({ lineStart: 9, lineEnd: 9, type: "concern" }), code: "open()" },
        {
          annotation: annotation({ filePath: "docs/moat.md", side: "old", text: "Keep it." }),
          code: "Deep.\nWet.",
        },
        { annotation: annotation({ type: "suggestion", suggestedCode: "shut();" }), code: "a();\nb();" },
      ],
    });
    expect(text).toBe(`# Code review feedback

A reviewer read the diff "Uncommitted changes" (HEAD) of \`castle\`, branch \`moat\`, and left 3 comments. Lines are counted in the file after the change (new side) or before it (old side).

## In general

Nearly there.

## \`src/gate.ts\`

### 1. Suggestion on lines 2-3 (new side)

\`\`\`\`ts
a();
b();
\`\`\`\`

Is it shut?

Replace these lines with:

\`\`\`\`ts
shut();
\`\`\`\`

### 2. Concern on line 9 (new side)

\`\`\`\`ts
open()
\`\`\`\`

Is it shut?

## \`docs/moat.md\`

### 3. Comment on lines 2-3 (old side)

\`\`\`\`md
Deep.
Wet.
\`\`\`\`

Keep it.`);
  });

  it("describes an empty suggestion as a deletion, and an annotation on a file as one on the whole file", () => {
    const text = feedbackText({
      ...about,
      feedback: "",
      annotations: [
        { annotation: annotation({ type: "suggestion", suggestedCode: "" }) },
        { annotation: annotation({ lineStart: 0, lineEnd: 0 }) },
        { annotation: annotation({ side: "old" }), oldPath: "src/door.ts" },
      ],
    });
    expect(text).toContain("Remove these lines.");
    expect(text).toContain("Comment on the whole file (new side)");
    expect(text).toContain("(old side, then `src/door.ts`)");
  });

  it("truncates long quotes", () => {
    const code = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join("\n");
    const text = feedbackText({ ...about, feedback: "", annotations: [{ annotation: annotation(), code }] });
    expect(text).toContain("line 60\n… 40 more lines");
    expect(text).not.toContain("line 61");
  });

  it("closes a code block that the person left open", () => {
    const text = feedbackText({
      ...about,
      feedback: "In short:\n```js\nopen()",
      annotations: [{ annotation: annotation({ text: "~~~\nand again" }) }, { annotation: annotation() }],
    });
    expect(text).toContain("```js\nopen()\n```\n\n## `src/gate.ts`");
    expect(text).toContain("~~~\nand again\n~~~\n\n### 2.");
  });

  it("accepts a reversed line range", () => {
    const backwards = annotation({ lineStart: 9, lineEnd: 4 });
    const text = feedbackText({
      ...about,
      feedback: "",
      annotations: [
        { annotation: annotation({ lineStart: 6, lineEnd: 6, text: "Second." }) },
        { annotation: backwards },
      ],
    });
    expect(text).toMatch(/### 1\. Comment on lines 4-9 [\s\S]*### 2\. Comment on line 6 /);
  });
});
