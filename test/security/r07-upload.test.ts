import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import { describe, expect, it } from "vitest";
import { MAX_IMAGE_BYTES } from "../../src/review/images/open-image.ts";
import { storeUpload } from "../../src/review/images/store-upload.ts";
import { PNG, WEBP } from "../support/images.ts";
import { planServer } from "../support/plan-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("R7 storeUpload", () => {
  it("stores an image readable by its owner only, under a new name each time", async () => {
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

  it("rejects other types", async () => {
    const folder = join(await temporaryFolder(), "sallyport");
    await expect(storeUpload(folder, Buffer.from("<svg/>"))).rejects.toMatchObject({ status: 400 });
    await expect(readdir(folder)).rejects.toThrow();
  });

  it("uses a second folder if the first is a file, and fails if neither can be created", async () => {
    const temporary = await temporaryFolder();
    await symlink(await temporaryFolder(), join(temporary, "sallyport"));
    const path = await storeUpload(join(temporary, "sallyport"), PNG);
    expect(path.startsWith(join(temporary, "sallyport-"))).toBe(true);
    await rm(join(temporary, "sallyport"));
    await writeFile(join(temporary, "sallyport"), "");
    const storing = storeUpload(join(temporary, "sallyport", "deeper"), PNG);
    await expect(storing).rejects.toMatchObject({ status: 500 });
  });
});

describe("R7 folders that another user created first", () => {
  it("make it use the last resort, and the image can be shown", async () => {
    const temporary = await temporaryFolder();
    const own = process.getuid?.() ?? "own";
    for (const name of ["sallyport", `sallyport-${own}`]) await writeFile(join(temporary, name), "taken");
    const lastResort = join(temporary, "data", "uploads");
    const path = await storeUpload(join(temporary, "sallyport"), PNG, lastResort);
    expect(dirname(path)).toBe(lastResort);
    expect((await stat(lastResort)).mode & 0o777).toBe(0o700);
    const failing = storeUpload(join(temporary, "sallyport"), PNG);
    await expect(failing).rejects.toThrow(
      /Cannot store the upload in .*sallyport: .*(it belongs to|has that name).*\. Check its owner and free space, or set (TMPDIR|TEMP) to/,
    );
  });
});

interface Part {
  readonly name?: string;
  readonly filename?: string;
  readonly bytes: Buffer;
}

function upload(app: FastifyInstance, parts: readonly Part[]) {
  const pieces = parts.flatMap(({ name = "file", filename, bytes }) => [
    Buffer.from(
      `--b\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? "" : `; filename="${filename}"`}\r\n\r\n`,
    ),
    bytes,
    Buffer.from("\r\n"),
  ]);
  return app.inject({
    method: "POST",
    url: "/api/upload",
    headers: { host: "localhost", "content-type": "multipart/form-data; boundary=b" },
    payload: Buffer.concat([...pieces, Buffer.from("--b--\r\n")]),
  });
}

describe("R7 POST /api/upload", () => {
  it("stores nothing of a file that is too large or empty", async () => {
    const { app, context } = await planServer();
    const large = Buffer.concat([PNG, Buffer.alloc(MAX_IMAGE_BYTES)]);
    expect((await upload(app, [{ filename: "a.png", bytes: large }])).statusCode).toBe(413);
    expect((await upload(app, [{ filename: "a.png", bytes: Buffer.from("<svg/>") }])).statusCode).toBe(400);
    await expect(readdir(context.uploadFolder)).rejects.toThrow("ENOENT");
  });

  it("stores nothing of a file that reaches the limit before its end", async () => {
    const { app, context } = await planServer();
    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';
    async function* pieces() {
      yield Buffer.from(head);
      yield Buffer.concat([PNG, Buffer.alloc(MAX_IMAGE_BYTES - PNG.length)]);
      // Waits until the chunk has been read. The next chunk exceeds the limit and is not passed on.
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
      yield Buffer.alloc(1_000);
      yield Buffer.from("\r\n--b--\r\n");
    }
    const response = await app.inject({
      method: "POST",
      url: "/api/upload",
      headers: { host: "localhost", "content-type": "multipart/form-data; boundary=b" },
      payload: Readable.from(pieces()),
    });
    expect(response.statusCode).toBe(413);
    await expect(readdir(context.uploadFolder)).rejects.toThrow("ENOENT");
  });

  it.each(["../../x.png", "/etc/x.png", "..\\\\x.png", "a/b.png", "x.svg", "\u202egnp.exe", "."])(
    "names the file itself, whatever %s would have it called",
    async (filename) => {
      const { app, context } = await planServer();
      const { path } = (await upload(app, [{ filename, bytes: PNG }])).json();
      expect(dirname(path)).toBe(context.uploadFolder);
      expect(path).toMatch(/\/[0-9a-f-]{36}\.png$/);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect((await stat(context.uploadFolder)).mode & 0o777).toBe(0o700);
    },
  );

  it.each([
    ["application/x-www-form-urlencoded", "file=a.png"],
    ["image/png", PNG],
    ["application/json", '{"file'],
    ["application/json", ""],
    ["text/plain", "file"],
  ])("finds no file in a body of type %s: %s", async (type, payload) => {
    const { app } = await planServer();
    const headers = { host: "localhost", "content-type": type };
    const response = await app.inject({ method: "POST", url: "/api/upload", headers, payload });
    expect([response.statusCode, response.json()]).toEqual([400, { error: "No file provided" }]);
  });

  it("accepts one file and a few fields", async () => {
    const { app, context } = await planServer();
    const two = [
      { filename: "a.png", bytes: PNG },
      { filename: "b.png", bytes: PNG },
    ];
    await upload(app, two);
    expect((await readdir(context.uploadFolder)).length).toBe(1);
    const fields = Array.from({ length: 50 }, (_, index) => ({ name: `f${index}`, bytes: Buffer.from("x") }));
    expect((await upload(app, fields)).statusCode).toBe(400);
    expect((await upload(app, [{ name: "__proto__", bytes: Buffer.from("x") }])).statusCode).toBe(400);
    expect((await readdir(context.uploadFolder)).length).toBe(1);
  });

  it("gives each of 100 concurrent uploads a unique name", async () => {
    const { app } = await planServer();
    const responses = await Promise.all(
      Array.from({ length: 100 }, () => upload(app, [{ filename: "a.png", bytes: PNG }])),
    );
    const paths = responses.map((response) => String(response.json().path));
    expect(new Set(paths).size).toBe(100);
    for (const path of paths) expect((await readFile(path)).equals(PNG)).toBe(true);
  });

  it.each([
    ["a link to nowhere", (path: string) => symlink("/nowhere/at/all", path)],
    ["a file", (path: string) => writeFile(path, "")],
    ["a link to a folder of somebody's", async (path: string) => symlink(await temporaryFolder(), path)],
  ])("goes beside %s that was there first", async (_name, squat) => {
    const folder = join(await temporaryFolder(), "sallyport");
    await squat(folder);
    expect((await storeUpload(folder, PNG)).startsWith(`${folder}-`)).toBe(true);
  });

  it("removes other users' access to its folder", async () => {
    const folder = join(await temporaryFolder(), "sallyport");
    await mkdir(folder);
    await chmod(folder, 0o777);
    await storeUpload(folder, PNG);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });
});
