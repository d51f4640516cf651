import { execFileSync } from "node:child_process";
import { mkdir, readdir, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fastCheck from "fast-check";
import { describe, expect, it } from "vitest";
import { createImagePolicy, isWithin } from "../../../src/review/images/image-policy.ts";
import { imageError, openImage } from "../../../src/review/images/open-image.ts";
import { sniffImage } from "../../../src/review/images/sniff-image.ts";
import { storeUpload } from "../../../src/review/images/store-upload.ts";
import { JPEG, PNG, WEBP } from "../../support/images.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("sniffImage", () => {
  it("knows the three types by their bytes", () => {
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

  it("takes no part of a PNG's head for a PNG", () => {
    for (let length = 0; length < 8; length += 1) expect(sniffImage(PNG.subarray(0, length))).toBeUndefined();
  });
});

describe("openImage", () => {
  it("reads an image whole", async () => {
    const path = join(await temporaryFolder(), "named.txt");
    await writeFile(path, PNG);
    const image = await openImage(path);
    expect(image.type).toBe("image/png");
    expect(image.bytes.equals(PNG)).toBe(true);
  });

  it("refuses what is none, and what is not there", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "a.png"), "text");
    await expect(openImage(join(folder, "a.png"))).rejects.toMatchObject({ status: 400 });
    await expect(openImage(folder)).rejects.toMatchObject({ status: 400 });
    for (const path of [
      join(folder, "none.png"),
      join(folder, "a.png", "b.png"),
      "a\0.png",
      "x".repeat(5_000),
    ]) {
      await expect(openImage(path)).rejects.toMatchObject({ status: 404, message: "File not found" });
    }
  });

  it("refuses more than 20 MB unread", async () => {
    const path = join(await temporaryFolder(), "big.png");
    await writeFile(path, PNG);
    await truncate(path, 20 * 1024 * 1024 + 1);
    await expect(openImage(path)).rejects.toMatchObject({ status: 413 });
  });

  it("does not wait for a pipe, and follows no link put in the file's place", async () => {
    const folder = await temporaryFolder();
    execFileSync("mkfifo", [join(folder, "pipe.png")]);
    await expect(openImage(join(folder, "pipe.png"))).rejects.toMatchObject({ status: 400 });
    await writeFile(join(folder, "real.png"), PNG);
    await symlink(join(folder, "real.png"), join(folder, "link.png"));
    await expect(openImage(join(folder, "link.png"))).rejects.toMatchObject({ status: 404 });
  });

  it("calls a file that cannot be read unreadable", () => {
    const error = Object.assign(new Error("EACCES"), { code: "EACCES" });
    expect(imageError(error)).toMatchObject({ code: "unreadable", status: 500 });
  });
});

describe("the image policy", () => {
  async function files() {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "project", "docs"), { recursive: true });
    await mkdir(join(folder, "project-secret"));
    for (const name of ["project/docs/a.png", "project-secret/b.png", "named.png", "other.png"]) {
      await writeFile(join(folder, name), PNG);
    }
    await symlink(join(folder, "other.png"), join(folder, "project", "way-out.png"));
    return folder;
  }

  it("on the person's own machine finds any file, relative ones from the agent's folder", async () => {
    const folder = await files();
    const policy = createImagePolicy({ cwd: join(folder, "project") });
    expect(await policy.locate("docs/a.png")).toBe(join(folder, "project", "docs", "a.png"));
    expect(await policy.locate("../other.png")).toBe(join(folder, "other.png"));
    expect(await policy.locate(`file://${folder}/other.png`)).toBe(join(folder, "other.png"));
    await expect(policy.locate("none.png")).rejects.toThrow();
  });

  it("where others can ask, shows the folders and the named files only, links followed", async () => {
    const folder = await files();
    const policy = createImagePolicy({
      cwd: join(folder, "project"),
      confined: {
        folders: [join(folder, "project"), join(folder, "gone")],
        files: ["../named.png", "none.png"],
      },
    });
    expect(await policy.locate("docs/a.png")).toBeDefined();
    expect(await policy.locate("../named.png")).toBeDefined();
    for (const path of [
      "../other.png",
      "way-out.png",
      "../project-secret/b.png",
      join(folder, "other.png"),
    ]) {
      expect(await policy.locate(path)).toBeUndefined();
    }
  });

  it("never takes a path for one within a folder that is not", () => {
    const part = fastCheck.constantFrom("a", "b", "..", ".", "...", "..a", "");
    fastCheck.assert(
      fastCheck.property(fastCheck.array(part, { maxLength: 6 }), (parts) => {
        const path = join("/root/a", ...parts);
        expect(isWithin("/root/a", path)).toBe(
          path === "/root/a" || path === "/root/a/" || path.startsWith("/root/a/"),
        );
      }),
    );
    expect(isWithin("/root/a", "/root/ab")).toBe(false);
    expect(isWithin("/", "/etc")).toBe(true);
  });
});

describe("storeUpload", () => {
  it("keeps an image for its owner alone, under a new name each time", async () => {
    const folder = join(await temporaryFolder(), "sallyport");
    const paths = [
      await storeUpload(folder, PNG),
      await storeUpload(folder, PNG),
      await storeUpload(folder, WEBP),
    ];
    expect(new Set(paths).size).toBe(3);
    expect(paths[2]).toMatch(/\.webp$/);
    expect((await stat(paths[0] ?? "")).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it("stores nothing else", async () => {
    const folder = join(await temporaryFolder(), "sallyport");
    await expect(storeUpload(folder, Buffer.from("<svg/>"))).rejects.toMatchObject({ status: 400 });
    await expect(readdir(folder)).rejects.toThrow();
  });

  it("goes beside a folder that is not one, and fails where nothing can be made", async () => {
    const temporary = await temporaryFolder();
    await symlink("/", join(temporary, "sallyport"));
    const path = await storeUpload(join(temporary, "sallyport"), PNG);
    expect(path.startsWith(join(temporary, "sallyport-"))).toBe(true);
    await rm(join(temporary, "sallyport"));
    await writeFile(join(temporary, "sallyport"), "");
    const storing = storeUpload(join(temporary, "sallyport", "deeper"), PNG);
    await expect(storing).rejects.toMatchObject({ status: 500 });
  });
});
