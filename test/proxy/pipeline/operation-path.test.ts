import { expect, it } from "vitest";
import { calledOperation } from "../../../src/proxy/pipeline/operation-path.ts";
import { routes } from "../../../src/proxy/routes.ts";

const byMethod = routes.find(({ operation }) => operation === "by-method");

const called = (query: string) => {
  if (!byMethod) throw new Error("there is no such route");
  const model = "m:streamGenerateContent";
  return calledOperation(byMethod, `/v1beta/models/${model}${query}`, { model });
};

it.each(["?alt=sse", "?x=1&alt=sse&y=2", "?$alt=sse", "?%24alt=sse", "?key=k&alt=sse"])(
  "83: a stream requested with %s is sent as events",
  (query) => {
    expect(called(query)).toMatchObject({ stream: true, array: false });
  },
);

it.each(["", "?alt=json", "?alt=sse2", "?salt=sse"])(
  "83: a stream requested with %j is sent as an array",
  (query) => {
    expect(called(query)).toMatchObject({ stream: true, array: true });
  },
);

it.each([
  ["?key=k", ""],
  ["?alt=sse&key=k&x=1", "?alt=sse&x=1"],
  ["?KEY=k&k%65y=k&x=%6b", "?x=%6b"],
])("105: the query %s is forwarded as %s", (query, kept) => {
  expect(called(query).query).toBe(kept);
});
