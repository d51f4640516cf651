import { execFileSync } from "node:child_process";
import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { imageError, openImage } from "../../src/review/images/open-image.ts";
import { PNG } from "../support/images.ts";
import { planServer } from "../support/plan-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("R5 openImage", () => {
  it("reads a whole image", async () => {
    const path = join(await temporaryFolder(), "named.txt");
    await writeFile(path, PNG);
    const image = await openImage(path);
    expect(image.type).toBe("image/png");
    expect(image.bytes.equals(PNG)).toBe(true);
  });

  it("rejects files that are not images and missing files", async () => {
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

  it("rejects more than 20 MiB without reading it", async () => {
    const path = join(await temporaryFolder(), "big.png");
    await writeFile(path, PNG);
    await truncate(path, 20 * 1024 * 1024 + 1);
    await expect(openImage(path)).rejects.toMatchObject({
      status: 413,
      message: "The image is larger than 20 MiB",
    });
  });

  it("does not wait for a pipe and does not follow a link that replaced the file", async () => {
    const folder = await temporaryFolder();
    execFileSync("mkfifo", [join(folder, "pipe.png")]);
    await expect(openImage(join(folder, "pipe.png"))).rejects.toMatchObject({ status: 400 });
    await writeFile(join(folder, "real.png"), PNG);
    await symlink(join(folder, "real.png"), join(folder, "link.png"));
    await expect(openImage(join(folder, "link.png"))).rejects.toMatchObject({ status: 404 });
  });

  it("throws `unreadable` for a file that cannot be read", () => {
    const error = Object.assign(new Error("EACCES"), { code: "EACCES" });
    expect(imageError(error)).toMatchObject({ code: "unreadable", status: 500 });
  });
});

describe("R5 a path that is not a regular file", () => {
  it("is rejected at once: pipes, devices, folders and links to them", async () => {
    const { app, folder } = await planServer();
    await mkdir(join(folder, "project"), { recursive: true });
    const at = (name: string) => join(folder, "project", name);
    for (const name of ["1.png", "2.png", "3.png", "4.png", "5.png"]) execFileSync("mkfifo", [at(name)]);
    await symlink("/dev/zero", at("zero.png"));
    await symlink("/etc/passwd", at("passwd.png"));
    await symlink(at("loop.png"), at("loop.png"));
    await mkdir(at("folder.png"));
    const names = ["1", "2", "3", "4", "5", "zero", "passwd", "folder", "loop"];
    // More pipes than file threads: if opening a pipe blocked, the plan could not be loaded.
    const responses = await Promise.all(
      [...names.map((name) => `/api/image?path=${name}.png`), "/api/image?path=/dev/zero", "/api/plan"].map(
        (url) => app.inject({ url, headers: { host: "localhost" } }),
      ),
    );
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([...Array(8).fill(400), 404, 400, 200]);
  });
});
