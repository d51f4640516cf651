import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compress, decompress } from "../../../../web/plan/share/compress.ts";
import { readShared, type SharedReview, shareLink } from "../../../../web/plan/share/shared-review.ts";
import { fileName } from "../../../../web/shared/download.ts";

const anchor = { start: 0, end: 3, startLine: 1, endLine: 1, quote: "one", prefix: "", suffix: "" };
const review: SharedReview = {
  sallyport: 1,
  title: "A “plan”",
  plan: "one\n\n</script> two",
  annotations: [{ id: "1", type: "comment", text: "hm", createdAt: "2026", anchor }],
};

describe("a shared plan", () => {
  it("is restored from a link unchanged, and stays in the fragment", async () => {
    const link = await shareLink(review, "http://localhost:1234");
    expect(new URL(link).pathname).toBe("/");
    expect(new URL(link).search).toBe("");
    expect(await readShared(link)).toMatchObject(review);
  });

  it("is restored from a saved page and an annotations file", async () => {
    const json = JSON.stringify(review).replaceAll("<", "\\u003c");
    const page = `<!doctype html><p>#shared=</p><script type="application/json" id="shared-review">${json}</script>`;
    expect(await readShared(page)).toMatchObject(review);
    expect(await readShared(JSON.stringify(review))).toMatchObject(review);
  });

  it("contains only the fields of a review", async () => {
    const foreign = {
      ...review,
      annotations: [
        ...review.annotations,
        { id: "2", type: "script", text: "x" },
        { id: "3", type: "comment", text: "no place" },
        { id: "4", type: "comment", text: "x", anchor: { ...anchor, start: -1 } },
        { id: "5", type: "general", text: "kept", images: [{ path: "/etc/passwd", name: "x" }], extra: true },
        null,
      ],
    };
    const { annotations } = await readShared(JSON.stringify(foreign));
    expect(annotations.map(({ id }) => id)).toEqual(["1", "5"]);
    expect(annotations[1]).toEqual({ id: "5", type: "general", text: "kept", createdAt: "" });
  });

  it("keeps the attached images that its file embeds", async () => {
    const [embedded, missing] = ["shown.png", "gone.png"].map((name) => ({ path: `/tmp/${name}`, name }));
    const annotations = [
      {
        id: "1",
        type: "general",
        text: "two",
        images: [embedded, missing, { path: "/tmp/shown.png" }, null],
      },
      { id: "2", type: "general", text: "none left", images: [missing] },
    ];
    const images = { "/tmp/shown.png": "data:image/png;base64,AA==" };
    const read = await readShared(JSON.stringify({ ...review, annotations, images }));
    expect(read.annotations.map((annotation) => annotation.images)).toEqual([[embedded], undefined]);
  });

  it.each([
    "",
    "hello",
    "{}",
    "[]",
    "null",
    '{"sallyport":2}',
    "http://localhost/#shared=AAAA",
    "http://x/#shared=%%",
  ])("is refused with a sentence: %s", async (text) => {
    await expect(readShared(text)).rejects.toThrow(/shared plan|damaged/);
  });
});

describe("a link with too large a plan", () => {
  it("is refused with the reason", async () => {
    const link = await shareLink({ ...review, plan: "0".repeat(17 * 1024 * 1024) }, "http://localhost");
    await expect(readShared(link)).rejects.toThrow("The plan in this link is too large. Ask its sender for");
  });
});

describe("compression", () => {
  it("restores any text, in URL-safe characters", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), async (text) => {
        const encoded = await compress(text);
        expect(encoded).toMatch(/^[A-Za-z0-9_-]*$/);
        expect(await decompress(encoded)).toBe(text);
      }),
      { numRuns: 50 },
    );
  });

  it("stops at a decompression bomb", async () => {
    await expect(decompress(await compress("0".repeat(5_000_000)), 1_000_000)).rejects.toThrow("too large");
  });
});

describe("file names", () => {
  it("are valid on every file system", () => {
    expect(fileName('Plan: a/b "c"?.html')).toBe("Plan a b c .html");
    expect(fileName("..")).toBe("plan");
  });
});
