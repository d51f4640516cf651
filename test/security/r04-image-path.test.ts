import { mkdir, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import fastCheck from "fast-check";
import { describe, expect, it } from "vitest";
import { createImagePolicy } from "../../src/review/images/image-policy.ts";
import { imageError } from "../../src/review/images/open-image.ts";
import { isWithin } from "../../src/review/is-within.ts";
import { PNG } from "../support/images.ts";
import { planServer } from "../support/plan-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("R4 the image policy", () => {
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

  it("finds any file on the person's own machine, relative to the agent's folder", async () => {
    const folder = await files();
    const policy = createImagePolicy({ cwd: join(folder, "project") });
    expect(await policy.locate("docs/a.png")).toBe(join(folder, "project", "docs", "a.png"));
    expect(await policy.locate("../other.png")).toBe(join(folder, "other.png"));
    expect(await policy.locate(`file://${folder}/other.png`)).toBe(join(folder, "other.png"));
    await expect(policy.locate("none.png")).rejects.toThrow();
  });

  it("expands home and URLs only at the beginning of a path, and network paths only on Windows", async () => {
    const folder = await files();
    await mkdir(join(folder, "x~"));
    await writeFile(join(folder, "x~", "a.png"), PNG);
    const named = join(folder, "named.png");
    const local = createImagePolicy({ cwd: folder, platform: "linux" });
    const windows = createImagePolicy({ cwd: folder, platform: "win32" });
    expect(await local.locate(`~/${relative(homedir(), named)}`)).toBe(named);
    expect(await local.locate("x~/a.png")).toBe(join(folder, "x~", "a.png"));
    expect(await local.locate(`/${named}`)).toBe(named);
    expect(await windows.locate("x~//a.png")).toBe(join(folder, "x~", "a.png"));
    expect(await windows.locate(named)).toBe(named);
    const refusal = { code: "not_found", message: "File not found", cause: expect.any(Error) };
    await expect(local.locate("file:///%2f")).rejects.toMatchObject(refusal);
    // A folder named "file:" that does not exist, not a URL.
    await expect(local.locate("docs/file:///a.png")).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("allows only the folders and the named files on a remote host, with links resolved", async () => {
    const folder = await files();
    const policy = createImagePolicy({
      cwd: join(folder, "project"),
      confined: {
        folders: [join(folder, "project"), join(folder, "gone")],
        files: () => ["../named.png", "none.png"],
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

  it("allows a file on a remote host as soon as the plan names it", async () => {
    const folder = await files();
    let named: readonly string[] = [];
    const cwd = join(folder, "project");
    const policy = createImagePolicy({ cwd, confined: { folders: [cwd], files: () => named } });
    expect(await policy.locate("../named.png")).toBeUndefined();
    named = ["../named.png"];
    expect(await policy.locate("../named.png")).toBe(join(folder, "named.png"));
  });

  it("never accepts a path outside an allowed folder", () => {
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

/** Beside the allowed folder is another folder whose name begins with the same text. */
async function confinedServer() {
  const server = await planServer({ plan: "# Plan", folder: await temporaryFolder() });
  const root = join(server.folder, "shown");
  for (const name of ["shown", "shown/docs", "shown-secret", "project"])
    await mkdir(join(server.folder, name), { recursive: true });
  for (const name of ["shown/a.png", "shown-secret/b.png", "other.png"])
    await writeFile(join(server.folder, name), PNG);
  await symlink(join(server.folder, "other.png"), join(root, "out.png"));
  await symlink("..", join(root, "docs", "up"));
  const policy = createImagePolicy({ cwd: root, confined: { folders: [root], files: () => [] } });
  return { root, folder: server.folder, policy };
}

describe("R4 path traversal", () => {
  it("is rejected in every spelling", async () => {
    const { root, folder, policy } = await confinedServer();
    const out = join(folder, "other.png");
    const paths = [
      "../other.png",
      "./../other.png",
      "docs/../../other.png",
      "docs/up/../../other.png",
      "docs/up/../other.png",
      "..//other.png",
      ".././other.png",
      "out.png",
      "./out.png",
      "docs/up/out.png",
      out,
      `${root}/../other.png`,
      `file://${out}`,
      `FILE://${out}`,
      `file:///${out}`,
      `file://${root}/../other.png`,
      `file://${root}/%2e%2e/other.png`,
      `${root}-secret/b.png`,
      "../shown-secret/b.png",
      "/etc/passwd",
      "/",
      "",
      ".",
      "..",
      "~",
      "~/",
      "~/.ssh/id_rsa",
      "~root/x.png",
      `~/${"../".repeat(20)}etc/passwd`,
      "..\\other.png",
      "%2e%2e/other.png",
      "..%2fother.png",
      "..%00/other.png",
      "a.png\0",
      "\0",
      "a.png/",
      "a.png/.",
      "a.png/../../other.png",
      "a.png::$DATA",
      "A~1.PNG",
      "C:x",
      "C:\\x",
      "\\\\host\\x.png",
      "//host/x.png",
      "file://host/x.png",
      "file:///%2f",
      "file:///%",
      "/proc/self/environ",
      "/dev/zero",
      `${"d/".repeat(2_000)}x`,
    ];
    const shown: string[] = [];
    for (const path of paths) {
      const found = await policy.locate(path).catch((error: unknown) => {
        expect([path, imageError(error).status]).toEqual([path, 404]);
        return undefined;
      });
      if (found !== undefined && !isWithin(root, found)) shown.push(path);
    }
    expect(shown).toEqual([]);
    expect(await policy.locate("a.png")).toBe(join(root, "a.png"));
  });

  it("is impossible with any path", async () => {
    const { root, policy } = await confinedServer();
    const piece = fastCheck.oneof(
      fastCheck.constantFrom(
        "..",
        ".",
        "docs",
        "up",
        "a.png",
        "out.png",
        "",
        "~",
        root,
        `${root}-secret`,
        "file:",
        "\0",
        "%2e",
      ),
      fastCheck.string({ maxLength: 4 }),
    );
    await fastCheck.assert(
      fastCheck.asyncProperty(
        fastCheck.array(piece, { maxLength: 8 }),
        fastCheck.boolean(),
        async (pieces, absolute) => {
          const path = `${absolute ? "/" : ""}${pieces.join("/")}`;
          const found = await policy.locate(path).catch(() => undefined);
          expect(found === undefined || isWithin(root, found)).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("to another machine is not opened on Windows, where opening sends credentials", async () => {
    const policy = createImagePolicy({ cwd: homedir(), platform: "win32" });
    for (const path of [
      "\\\\evil.test\\share\\a.png",
      "//evil.test/share/a.png",
      "\\\\.\\pipe\\a",
      "\\\\?\\C:\\a.png",
      "file:////evil.test/a.png",
    ])
      expect([path, await policy.locate(path)]).toEqual([path, undefined]);
  });
});
