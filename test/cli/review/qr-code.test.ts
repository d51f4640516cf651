import { describe, expect, it } from "vitest";
import { drawQrCode, encodeQrCode } from "../../../src/cli/review/qr-code.ts";

/** Version 3, drawn by this module and read by an independent decoder (jsQR 1.4). */
const DRAWN = `█████████████████████████████████
██ ▄▄▄▄▄ ██▄ ▄▀   ▀ ▀▄▀█ ▄▄▄▄▄ ██
██ █   █ █  ▀▀ ▄▀ █▀ ▄▀█ █   █ ██
██ █▄▄▄█ █ ▄█▀ ██▄▄█▀▄██ █▄▄▄█ ██
██▄▄▄▄▄▄▄█ █▄█▄█ █ █▄█▄█▄▄▄▄▄▄▄██
██ ▀▄   ▄▀▀▄▄▄▀▀▀▀▄ ▄▀▄█ ▄ ▄▄█▀██
███▄█▀  ▄ █▀▄█▀ ▄ ▄█▄█▄ █▄ ██▀███
██▄▄▄█▀ ▄▄█▄█▀██▄ ▀▄▄▀▄▄▀▄▀▄ █▀██
██▄ ▄ ▀▀▄▄ ▄████▀█▀█▀▀▀▄█▀██▄▀███
██  ▄ █▄▄▄ ▄█ ▀▀▀▀▄▄▄ █ ▀█▀▀ █▀██
██ █▄▀██▄▄█ ▄ ▄ ▄ ▄▄▄▀█▀ █ ▄▄▀███
██▄██▄█▄▄▄▀▄▀▄▀█▄ ▀▄▄▀ ▄▄▄ ▀   ██
██ ▄▄▄▄▄ █▀███▀█▀█▀▄ ▄ █▄█ ▄▄▀███
██ █   █ █ ▄ ██▀▀▀▄▀ █▄ ▄ ▄▄▄█▄██
██ █▄▄▄█ █▄▄█▄█▀█ ▄ ▀▀▀▀▄█ ▄█ ███
██▄▄▄▄▄▄▄█▄▄█▄▄█▄▄████████▄▄▄████
▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀`;

describe("QR code", () => {
  it("encodes a URL", () => {
    expect(drawQrCode(encodeQrCode("http://100.101.102.103:19432"))).toBe(DRAWN);
  });

  it.each([
    [14, 21],
    [15, 25],
    [62, 33],
    [63, 37],
    [106, 41],
    [107, 45],
    [213, 57],
  ])("%i bytes need %i modules in a row", (bytes, size) => {
    const code = encodeQrCode("x".repeat(bytes));
    expect(code).toHaveLength(size);
    for (const row of code) expect(row).toHaveLength(size);
  });

  it("rejects a text that does not fit", () => {
    expect(() => encodeQrCode("ü".repeat(107))).toThrow(RangeError);
  });
});
