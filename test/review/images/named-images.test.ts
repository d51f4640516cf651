import { describe, expect, it } from "vitest";
import { namedImages } from "../../../src/review/images/image-policy.ts";

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
