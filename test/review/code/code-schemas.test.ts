import { expect, it } from "vitest";
import { parseNumbers } from "../../../src/review/code/code-schemas.ts";

it.each([
  ["3", [3]],
  ["0-2", [0, 1, 2]],
  ["8-999999999,0", [8, 9, 0]],
  ["12,4", [4]],
])("reads the numbers of files in %s", (text, numbers) => {
  expect(parseNumbers(text, 10)).toEqual(numbers);
});

it.each(["", "a", "1-", "-1", "2-1", "0-9,0", "1.5"])("rejects %j", (text) => {
  expect(() => parseNumbers(text, 10)).toThrow(expect.objectContaining({ code: "validation" }));
});

it("rejects numbers that no file has", () => {
  expect(() => parseNumbers("10-12", 10)).toThrow(expect.objectContaining({ code: "not_found" }));
});

it("expands repeated ranges once", () => {
  const again = Array.from({ length: 2_000 }, () => "0-999999").join(",");
  expect(() => parseNumbers(again, 1_000_000)).toThrow(expect.objectContaining({ code: "validation" }));
});
