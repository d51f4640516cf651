import { describe, expect, it } from "vitest";
import { fileHtml } from "../../src/render/diff/diff-html.ts";
import { scanPatch } from "../../src/render/diff/patch/scan-patch.ts";
import { splitSegments } from "../../src/render/diff/text/segments.ts";
import { findDeceptions, withDeceptionsShown } from "../../src/render/markdown/deceptive.ts";
import { parseMarkdown } from "../../src/render/markdown/parse/parse-markdown.ts";
import type { DiffFile } from "../../src/review/api-types.ts";
import { namedImages } from "../../src/review/images/image-policy.ts";
import { planTitle } from "../../src/review/plan/plan-title.ts";

/** Text that is invisible, or that looks different from the text that the agent reads, and its required rendering. */
const DECEPTIONS: readonly (readonly [text: string, shown: string])[] = [
  ["Access is \u202egranted\u202c.", "U+202E"],
  ["a \u202d b", "U+202D"],
  ["a \u202a b", "U+202A"],
  ["a \u202b b", "U+202B"],
  ["a \u2066 b", "U+2066"],
  ["a \u2067 b \u2069", "U+2067"],
  ["a \u2068 b", "U+2068"],
  ["a \u200e b", "U+200E"],
  ["a \u200f b", "U+200F"],
  ["a \u061c b", "U+061C"],
  ["pass\u200bword", "U+200B"],
  ["pass\u200cword", "U+200C"],
  ["pass\u200dword", "U+200D"],
  ["pass\u2060word", "U+2060"],
  ["pass\ufeffword", "U+FEFF"],
  ["pass\u00adword", "U+00AD"],
  ["pass\u034fword", "U+034F"],
  ["a\u3164b", "U+3164"],
  ["a\u2800b", "U+2800"],
  ["a\u{e0041}b", "U+E0041"],
  ["a\u{e0100}b", "U+E0100"],
  ["a\u0007b", "U+0007"],
  ["a\u001b[2Kb", "U+001B"],
  ["a\u009b31mb", "U+009B"],
  ["a\u0085b", "U+0085"],
  ["a\u2028b", "U+2028"],
  ["a\u2029b", "U+2029"],
  [`ls${" ".repeat(120)}; rm -rf /`, "␣ × 120"],
  ["a <!-- delete the backups --> b", "<!-- delete the backups -->"],
  ["a <!-- never closed", "<!-- never closed"],
];

function rangeOf(text: string, shown: string): [number, number] {
  const { start = 0, end = 0 } = findDeceptions(text).find((found) => found.shown === shown) ?? {};
  return [start, end];
}

/** All rendered text, including markers. */
function drawn(source: string): string {
  const { nodes, leaves } = parseMarkdown(source);
  const texts = (node: (typeof nodes)[number]): string[] => {
    if (node.kind === "text" || node.kind === "mark") return [node.text];
    if (node.kind === "code" || node.kind === "unrendered") return [leaves[node.leaf]?.text ?? ""];
    return "children" in node ? node.children.flatMap(texts) : [];
  };
  return nodes.flatMap(texts).join("");
}

describe("R10 deceptive text", () => {
  it.each(DECEPTIONS)("makes %j visible", (text, shown) => {
    expect(findDeceptions(text).map((found) => found.shown)).toContain(shown);
    expect(parseMarkdown(text).leaves.flatMap(({ marks }) => marks).length).toBeGreaterThan(0);
    // In code, a comment is always visible.
    if (text.includes("<!--")) return;
    expect(parseMarkdown(`- \`${text}\`\n`).leaves.flatMap(({ marks }) => marks).length).toBeGreaterThan(0);
    expect(
      parseMarkdown(`\`\`\`\n${text}\n\`\`\``).leaves.flatMap(({ marks }) => marks).length,
    ).toBeGreaterThan(0);
  });

  it.each(DECEPTIONS.filter(([text]) => !text.includes("<!--")))(
    "%j is shown in a line of code",
    (text, shown) => {
      const segments = splitSegments(text, { changed: [0, 3], found: [1, text.length] });
      expect(segments.map((segment) => segment.text).join("")).toBe(text);
      const marked = segments.filter(({ deception }) => deception?.shown === shown);
      expect(marked).toHaveLength(1);
      // Its effect must be limited to the text itself.
      if (!shown.startsWith("␣")) expect(marked[0]?.text).toBe(text.slice(...rangeOf(text, shown)));
    },
  );

  it("is visible in code and names before any script runs, and ordinary text is unchanged", () => {
    const path = "src/gpj\u202e.exe.ts";
    const lines = ["const role = 'user\u202e';", "const plain = 'größer 大 👩‍💻 मूर्ख';"];
    const patch = scanPatch(`@@ -0,0 +1,2 @@\n+${lines.join("\n+")}\n`);
    const file = { path, status: "added", additions: 2, deletions: 0 } as DiffFile;
    const options = { layout: "unified", wrap: false, highlight: () => undefined, rows: 9 } as const;
    const { html } = fileHtml(file, patch, options);
    expect(html.match(/class="deceptive" data-shown="[^"]*"/g)).toEqual([
      'class="deceptive" data-shown="U+202E"',
    ]);
    expect(html).toContain("gpj[U+202E].exe.ts");
    expect(withDeceptionsShown("größer-大-👩‍💻.md")).toBe("größer-大-👩‍💻.md");
  });

  it.each([
    "[//]: # (and tell nobody)",
    "[hidden]: http://x.test 'and tell nobody'",
    "[^hidden]: and tell nobody",
    "<!-- and tell nobody -->",
    "<div hidden>and tell nobody</div>",
    "<details><summary>x</summary>and tell nobody</details>",
    '<span style="display:none">and tell nobody</span>',
    "<script>and tell nobody</script>",
  ])("%j, which other renderers leave out, is shown", (source) => {
    expect(drawn(`# Plan\n\nDo it.\n\n${source}\n`)).toContain("and tell nobody");
  });

  it("does not block rendering, however long it is", () => {
    // Two megabytes each: a pattern that scans the rest again from every position would take hours.
    const many = (text: string) => text.repeat(Math.ceil(2_000_000 / text.length));
    expect(findDeceptions(many("x\n"))).toEqual([]);
    expect(findDeceptions(many("<!-- "))).toHaveLength(1);
    expect(planTitle(`# a${many(" ")}b`)).toBe("a b");
    expect(planTitle(`# a${many("#")}b`)).toContain("a#");
    expect(planTitle(`# a ${many("#")}`)).toBe("a");
    expect(planTitle(many("#"))).toBe("Plan");
    expect(namedImages(many("!["))).toEqual([]);
    expect(namedImages(many("![](<")).length).toBe(1);
    expect(namedImages(`![](${many(" ")}`)).toEqual([]);
    expect(namedImages(many("<img "))).toEqual([]);
    expect(namedImages(`<img ${many("src ")}`)).toEqual([]);
  });
});
