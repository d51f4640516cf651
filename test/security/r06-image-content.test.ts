import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fastCheck from "fast-check";
import { describe, expect, it } from "vitest";
import { sniffImage } from "../../src/review/images/sniff-image.ts";
import { JPEG, PNG, WEBP } from "../support/images.ts";
import { planServer } from "../support/plan-server.ts";

describe("R6 sniffImage", () => {
  it("detects the three types by their bytes", () => {
    expect([PNG, JPEG, WEBP].map(sniffImage)).toEqual(["image/png", "image/jpeg", "image/webp"]);
  });

  it.each([
    ["nothing", ""],
    ["text", "no picture at all"],
    ["SVG", '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ["HTML", "<!doctype html>"],
    ["GIF", "GIF87a"],
    ["PDF", "%PDF-1.7"],
    ["RIFF that is sound", "RIFF\x24\0\0\0WAVEfmt "],
    ["RIFF without an end", "RIFF"],
  ])("takes %s for no image", (_name, text) => {
    expect(sniffImage(Buffer.from(text, "latin1"))).toBeUndefined();
  });

  it("does not accept a partial PNG header", () => {
    for (let length = 0; length < 8; length += 1) expect(sniffImage(PNG.subarray(0, length))).toBeUndefined();
  });
});

/** Files with the name of an image and other content. */
const IMPOSTORS: Readonly<Record<string, string | Buffer>> = {
  "svg.png": '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  "html.jpg": "<!doctype html><script>alert(1)</script>",
  "html-after-space.png": "   <html>",
  "key.png": "-----BEGIN OPENSSH PRIVATE KEY-----",
  "empty.png": "",
  "pdf.webp": "%PDF-1.7",
  "gif.png": "GIF89a/*<script>alert(1)</script>*/",
  "zip.jpg": Buffer.from("PK\x03\x04jar", "latin1"),
  "cut.png": PNG.subarray(0, 7),
  "shifted.png": Buffer.concat([Buffer.from(" "), PNG]),
  "bom.png": Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), PNG]),
  "icon.png": Buffer.from([0, 0, 1, 0, 1, 0]),
  "bitmap.png": "BM",
  "tiff.png": "II*\0",
  "avif.png": Buffer.from("\0\0\0\x20ftypavif", "latin1"),
  "sound.webp": "RIFF\x24\0\0\0WAVEfmt ",
};

describe("R6 an image's type comes from its bytes", () => {
  it.each(Object.keys(IMPOSTORS))("%s is none", async (name) => {
    const { app, folder } = await planServer();
    await mkdir(join(folder, "project"), { recursive: true });
    await writeFile(join(folder, "project", name), IMPOSTORS[name] ?? "");
    const response = await app.inject({ url: `/api/image?path=${name}`, headers: { host: "localhost" } });
    expect([response.statusCode, response.json()]).toEqual([400, { error: "Unsupported image type" }]);
  });

  it.each([
    ["a page behind a PNG's head", PNG, "image/png"],
    ["a page behind a JPEG's head", JPEG, "image/jpeg"],
    ["a page behind a WebP's head", WEBP, "image/webp"],
  ])("%s is sent as the image it begins as, where nothing in it can run", async (_name, head, type) => {
    const { app, folder } = await planServer();
    await mkdir(join(folder, "project"), { recursive: true });
    await writeFile(
      join(folder, "project", 'a".html'),
      Buffer.concat([head, Buffer.from("<script>1</script>")]),
    );
    const { headers } = await app.inject({
      url: "/api/image?path=a%22.html",
      headers: { host: "localhost" },
    });
    expect(headers["content-type"]).toBe(type);
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["content-security-policy"]).toBe("default-src 'none'; sandbox");
    expect(headers["content-disposition"]).toBe("inline; filename*=UTF-8''a%22.html");
  });

  it("returns one of three types, or none, for any bytes", () => {
    fastCheck.assert(
      fastCheck.property(
        fastCheck.uint8Array({ maxLength: 40 }),
        fastCheck.constantFrom(PNG, JPEG, WEBP, Buffer.alloc(0)),
        fastCheck.nat(16),
        (bytes, head, kept) => {
          const file = Buffer.concat([head.subarray(0, kept), bytes]);
          const type = sniffImage(file);
          if (type === "image/png") expect(file.toString("latin1", 0, 8)).toBe("\x89PNG\r\n\x1a\n");
          else if (type === "image/jpeg") expect(file.toString("hex", 0, 3)).toBe("ffd8ff");
          else if (type === "image/webp") expect(file.toString("latin1", 8, 14)).toBe("WEBPVP");
          else expect(type).toBeUndefined();
        },
      ),
    );
  });
});
