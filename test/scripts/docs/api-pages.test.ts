import { expect, it } from "vitest";
import { createApiPages } from "../../../scripts/docs/api-pages.mjs";

it("describes each part of a path as a required parameter in all OpenAPI documents", async () => {
  const pages = await createApiPages();
  expect(pages.map(({ path }) => path)).toEqual([
    "docs/api/review.md",
    "docs/api/admin.md",
    "docs/api/own.md",
    "docs/api/proxy.md",
  ]);
  for (const { file } of pages)
    for (const [path, methods] of Object.entries(file.document.paths))
      for (const { parameters } of Object.values(methods)) {
        const inPath = parameters.filter((parameter) => parameter.in === "path");
        const names = inPath.map(({ name, required }) => required && `{${name}}`);
        expect([path, ...names]).toEqual([path, ...(path.match(/\{\w+\}/g) ?? [])]);
      }
});
