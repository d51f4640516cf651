import { describe, expect, it } from "vitest";
import { pagePolicy } from "../../src/http/security-headers.ts";
import type { MarkdownNode } from "../../src/render/markdown/model.ts";
import { parseMarkdown } from "../../src/render/markdown/parse/parse-markdown.ts";
import { planServer } from "../support/plan-server.ts";

const REMOTE = [
  "![](http://evil.test/a.png)",
  "![](https://evil.test/a.png)",
  "![](//evil.test/a.png)",
  "![a][b]\n\n[b]: http://evil.test/a.png",
  '<img src="http://evil.test/a.png">',
  "[![](http://evil.test/a.png)](http://evil.test)",
  "![](data:text/html,x)",
];

/** The tests in a real page, whose request log must stay empty, are in test/e2e/plan-page-safety.test.ts. */
describe("R11 a remote image", () => {
  it("cannot be loaded by the page, nor any other remote resource", async () => {
    const { app } = await planServer();
    const { headers } = await app.inject({ url: "/", headers: { host: "localhost" } });
    expect(headers["content-security-policy"]).toBe(pagePolicy);
    const policy = new Map(
      pagePolicy.split("; ").map((line) => [line.split(" ")[0], line.split(" ").slice(1)]),
    );
    expect(policy.get("default-src")).toEqual(["'none'"]);
    for (const [name, sources] of policy) {
      const elsewhere = sources?.filter(
        (source) => !/^'(?:none|self|wasm-unsafe-eval)'$|^blob:$/.test(source),
      );
      const expected: Record<string, string[]> = {
        "style-src": ["'unsafe-inline'"],
        "img-src": ["data:"],
        "font-src": ["data:"],
      };
      expect([name, elsewhere]).toEqual([name, expected[name ?? ""] ?? []]);
    }
  });

  it.each(REMOTE)("is not rendered as an image: %j", (plan) => {
    const images = (node: MarkdownNode): string[] =>
      node.kind === "image" ? [node.source] : "children" in node ? node.children.flatMap(images) : [];
    for (const source of parseMarkdown(plan).nodes.flatMap(images))
      expect(source).not.toMatch(/^(?:data:text)/);
  });
});
