import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { MermaidConfig } from "mermaid";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { addPage } from "../../src/http/page.ts";
import { pageSource } from "../../src/http/page-source.ts";
import { draw } from "../../web/diagram-frame/draw.ts";
import { drawDiagram } from "../../web/shared/markdown/diagrams/draw-diagram.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const configs: MermaidConfig[] = [];
vi.mock("mermaid", () => ({
  default: {
    initialize: (options: MermaidConfig) => void configs.push(options),
    render: async () => ({ svg: "<svg></svg>" }),
  },
}));

/** The tests that render malicious diagrams in a real page are in test/e2e/plan-page-safety.test.ts. */
describe("R9 a diagram with a script", () => {
  it("is rendered in a document without the server's origin, however it is opened", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "plan"));
    await mkdir(join(folder, "assets"));
    await writeFile(join(folder, "plan", "index.html"), "<!doctype html>");
    await writeFile(join(folder, "assets", "diagram-frame.html"), "<!doctype html>");
    const app = createApp({ bodyLimit: 1_000, acceptAnyPath: true });
    addPage(app, { source: pageSource(() => folder), name: "plan" });
    onTestFinished(() => app.close());
    for (const url of [
      "/assets/diagram-frame.html",
      "/assets/diagram%2dframe.html",
      "/assets//diagram-frame.html",
    ]) {
      const { statusCode, headers } = await app.inject({ url });
      if (statusCode !== 200) continue;
      const directives = String(headers["content-security-policy"]).split("; ");
      expect([url, directives]).toEqual([url, ["sandbox allow-scripts", "frame-ancestors 'self'"]]);
    }
    expect((await app.inject({ url: "/assets/diagram-frame.html" })).statusCode).toBe(200);
  });

  it("is rendered in strict mode, which it cannot change", async () => {
    for (const theme of ["light", "dark"] as const) await draw("graph TD\nA-->B", theme);
    expect(configs).toHaveLength(2);
    for (const { securityLevel, htmlLabels, flowchart, secure } of configs) {
      expect([securityLevel, htmlLabels, flowchart?.htmlLabels]).toEqual(["strict", false, false]);
      for (const name of ["secure", "securityLevel", "htmlLabels", "flowchart", "themeCSS", "themeVariables"])
        expect(secure).toContain(name);
    }
  });

  it.each([
    ["it loads images from other servers", 'graph TD\nA@{ img: "http://evil.test/node.png", label: "x" }'],
    ["it loads images from other servers", 'graph TD\nA@{ img : "//evil.test/node.png" }'],
    ["it is longer than 50,000 characters", `graph TD\n${"A-->B\n".repeat(10_000)}`],
  ])("is not drawn at all where %s", async (reason, source) => {
    expect(await drawDiagram(source, "light")).toEqual({ error: reason, again: false });
  });
});
