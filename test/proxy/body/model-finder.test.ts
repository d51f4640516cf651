import { describe, expect, it } from "vitest";
import { createModelFinder } from "../../../src/proxy/body/model-finder.ts";

const part = (headers: string, content: string) => `--b\r\n${headers}\r\n\r\n${content}\r\n`;
const field = (name: string, value: string) => part(`Content-Disposition: form-data; name="${name}"`, value);
const file = (content: string) =>
  part('Content-Disposition: form-data; name="file"; filename="model"\r\nContent-Type: audio/wav', content);

function modelIn(form: string, size: number, contentType = "multipart/form-data; boundary=b") {
  const find = createModelFinder(contentType);
  const bytes = Buffer.from(form);
  for (let at = 0; at < bytes.length; at += size) {
    const range = find?.(bytes.subarray(at, at + size));
    if (range) return bytes.toString("utf8", range.start, range.end);
  }
  return undefined;
}

const forms: readonly (readonly [string, string, string | undefined])[] = [
  ["a field before a file", `${field("model", "m")}${file("x")}--b--\r\n`, "m"],
  ["a field behind a file", `${file("x".repeat(500))}${field("model", "déjà")}--b--\r\n`, "déjà"],
  [
    "a file that holds a form",
    `${file(field("model", "inner").replaceAll("--b", "--c"))}${field("model", "m")}--b--`,
    "m",
  ],
  ["a file that begins like the boundary", `${file("\r\n--\r\n-\r\n--")}${field("model", "m")}--b--`, "m"],
  [
    "a part without content",
    `--b\r\nContent-Disposition: form-data; name="prompt"\r\n\r\n${field("model", "m")}--b--`,
    "m",
  ],
  ["words before the first boundary", `preamble\r\n${field("model", "m")}--b--`, "m"],
  ["a name without quotes", `${part("content-disposition: form-data;name=model", "m")}--b--`, "m"],
  ["an empty name", `${field("model", "")}--b--`, ""],
  ["a field of a like name", `${field("model_name", "x")}${field("remodel", "x")}--b--`, undefined],
  ["no such field", `${file("x")}--b--\r\n`, undefined],
];

describe("the search for the model in a form", () => {
  it.each(forms)("finds the model in %s, split at any byte", (_, form, model) => {
    for (const size of [1, 2, 3, 7, 64, form.length]) expect(modelIn(form, size)).toBe(model);
  });

  it.each(['multipart/form-data; boundary="b"', "multipart/form-data; charset=utf-8; Boundary=b; x=y"])(
    "reads the boundary from %s",
    (contentType) => {
      expect(modelIn(`${field("model", "m")}--b--`, 9, contentType)).toBe("m");
    },
  );

  it("returns undefined for a form without a boundary", () => {
    expect(createModelFinder("multipart/form-data")).toBeUndefined();
  });
});
