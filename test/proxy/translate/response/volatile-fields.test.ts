import { describe, expect, it } from "vitest";
import { withoutVolatileFields } from "../../../../src/proxy/translate/response/volatile-fields.ts";

describe("volatile fields of an event", () => {
  it.each([
    ['{"type":"x","sequence_number":17,"delta":"a"}', '{"type":"x","sequence_number":,"delta":"a"}'],
    ['{"delta":"a","sequence_number":0}', '{"delta":"a","sequence_number":}'],
    ['{"delta":"a","obfuscation":"w7sKPq"}', '{"delta":"a","obfuscation":""}'],
    ['{"delta":"a","obfuscation":"","x":1}', '{"delta":"a","obfuscation":"","x":1}'],
    [
      '{"sequence_number":4,"delta":"a","logprobs":[],"obfuscation":"w7"}',
      '{"sequence_number":,"delta":"a","logprobs":[],"obfuscation":""}',
    ],
  ])("are removed from %s", (data, clean) => {
    expect(withoutVolatileFields(data)).toBe(clean);
  });

  it.each([
    '{"delta":"a"}',
    '{"sequence_number":017,"delta":"a"}',
    '{"sequence_number":1.5,"delta":"a"}',
    '{"sequence_number":-1,"delta":"a"}',
    '{"sequence_number":null,"delta":"a"}',
    '{"sequence_number":12',
    '{"delta":",\\"obfuscation\\":\\"abc\\""}',
    '{"delta":"\\"sequence_number\\":12,"}',
    '{"delta":"a","obfuscation":"a\\"b"}',
    '{"delta":"a","obfuscation":"abc',
    '{"delta":"a","obfuscation":["b"]}',
  ])("are left unchanged in %s", (data) => {
    expect(withoutVolatileFields(data)).toBe(data);
  });
});
