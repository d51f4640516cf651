import { expect, it } from "vitest";
import { namedImages } from "../../../src/review/images/image-policy.ts";

it.each([
  ["![](a.png)", ["a.png"]],
  ['![alt text](docs/b.png "title") and ![](docs/b.png)', ["docs/b.png"]],
  ["![x](<with space.png>)", ["with space.png"]],
  ['<img alt="x" src="c.png"> <IMG src=\'d.png\'>', ["c.png", "d.png"]],
  ["![](/abs/e.png) ![](file:///f.png)", ["/abs/e.png", "file:///f.png"]],
  ["![](https://evil.test/g.png) ![](//evil.test/h.png) ![](data:image/png;base64,xx)", []],
  ["[link](i.png) `img`", []],
])("names in %j", (plan, paths) => {
  expect(namedImages(plan)).toEqual(paths);
});
