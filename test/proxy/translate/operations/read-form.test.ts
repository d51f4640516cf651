import { expect, it } from "vitest";
import { readForm } from "../../../../src/proxy/translate/operations/read-form.ts";

const part = (boundary: string) => `--${boundary}\r\ncontent-disposition: form-data; name="x"\r\n\r\n1\r\n`;
const form = (count: number) => Buffer.from(`${part("b").repeat(count)}--b--\r\n`);

it("a form with at most 1000 parts is read, and one with more is rejected", async () => {
  const type = "multipart/form-data; boundary=b";
  expect((await readForm(form(1_000), type)).fields.get("x")).toHaveLength(1_000);
  await expect(readForm(form(1_001), type)).rejects.toThrow("The form has more than 1000 parts.");
});

it("a form without a boundary is rejected as invalid, whatever its length", async () => {
  const body = Buffer.from("--".repeat(2_000));
  await expect(readForm(body, "multipart/form-data")).rejects.toThrow("not valid multipart/form-data");
});
