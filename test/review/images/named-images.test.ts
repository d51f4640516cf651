import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { namedImages } from "../../../src/review/images/image-policy.ts";
import { jsonChannel } from "../../../src/review/plan/generic-channel.ts";
import { createLivePlan } from "../../../src/review/plan/live-plan.ts";
import { createPlanMode } from "../../../src/review/plan/mode.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("the images that a plan names", () => {
  it.each([
    ["![](a.png)", ["a.png"]],
    ["![](a.png)![](b.png)", ["a.png", "b.png"]],
    ["![alt text](a.png)", ["a.png"]],
    ['![](a.png "title")', ["a.png"]],
    ["![](\n  a.png )", ["a.png"]],
    ["![](<with space.png>)", ["with space.png"]],
    ["![]( <with space.png>)", ["with space.png"]],
  ])("are found in Markdown: %j", (plan, paths) => {
    expect(namedImages(plan)).toEqual(paths);
  });

  it.each([
    ['<img src="a b.png">', ["a b.png"]],
    ["<img src='a b.png'>", ["a b.png"]],
    ["<img alt=\"x\" width='1'\n  src='a.png' title=\"y\">", ["a.png"]],
    ['<IMG SRC = "a.png"/>', ["a.png"]],
    ['<img\tsrc=\n"it\'s.png">', ["it's.png"]],
    ['<img src="a.png"><img src="b.png">', ["a.png", "b.png"]],
  ])("are found in HTML: %j", (plan, paths) => {
    expect(namedImages(plan)).toEqual(paths);
  });

  it("are listed once each, Markdown before HTML", () => {
    const plan = '<img src="c.png"> ![](a.png) ![](b.png) ![](a.png) <img src="a.png">';
    expect(namedImages(plan)).toEqual(["a.png", "b.png", "c.png"]);
  });

  it.each([
    "[link](a.png) `img` img.png",
    "![](",
    "![]()",
    "![a](",
    "![a [b](c.png)",
    "![a]b](c.png)",
    '<img src="">',
    "<img src=a.png>",
    '<imgs src="a.png">',
    '<img data_src="a.png">',
    '<img><a src="a.png">',
    '<a><src="a.png">',
    '<img src="a\n.png">',
    "<img src='a\n.png'>",
    "<img src=\"a.png'>",
  ])("are not found in %j", (plan) => {
    expect(namedImages(plan)).toEqual([]);
  });

  it.each([
    "/abs/a.png",
    "file:///a.png",
    "FILE:///a.png",
    "C:\\a.png",
    "a/https://b.png",
    "a//b.png",
    "~/a.png",
  ])("may be at the path %j", (path) => {
    expect(namedImages(`![](${path}) <img src="${path}">`)).toEqual([path]);
  });

  it("are those of the current text of a live plan", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "plan.md");
    const plan = "# Plan\n\n![](a.png)\n";
    const first = {
      plan,
      planId: "plan-1",
      source: { folder, origin: "origin_b", caller: "codex" },
      title: "Plan",
      channel: jsonChannel("origin_b"),
      history: Promise.resolve(undefined),
      plansFolder: join(folder, "plans"),
      vaultFolders: { home: folder, configHome: folder },
    } as const;
    const decode = (bytes: Buffer) => bytes.toString();
    const review = createLivePlan(first, { path, dataDirectory: join(folder, "data"), decode });
    const mode = createPlanMode(review);
    expect(mode.namedImages()).toEqual(["a.png"]);
    await writeFile(path, `${plan}\n![](b.png)\n`);
    expect(await review.reload?.()).toBe(plan);
    // The history is written before the folder is removed.
    await review.history;
    expect(mode.namedImages()).toEqual(["a.png", "b.png"]);
  });

  it.each([
    "https://evil.test/a.png",
    "HTTPS://evil.test/a.png",
    "//evil.test/a.png",
    "data:image/png;base64,xx",
    "x-scheme+1.0:a.png",
  ])("are not at the URL %j", (url) => {
    expect(namedImages(`![](${url}) <img src="${url}">`)).toEqual([]);
  });
});
