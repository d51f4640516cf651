import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getReadReason } from "../../src/files/read-reason.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("the reason why a file cannot be read", () => {
  it("is stated in words for what the system reports, without the path", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "inside"));
    await writeFile(join(folder, "text"), "");
    await symlink("loop", join(folder, "loop"));
    const reason = (name: string) => readFile(join(folder, name)).then(() => "read", getReadReason);
    expect(await reason("none")).toBe("no such file");
    expect(await reason("text/none")).toBe("no such file");
    expect(await reason("inside")).toBe("it is a folder");
    expect(await reason("loop")).toBe("its symbolic links form a loop");
    expect(await reason("n".repeat(300))).toBe("the name is too long");
  });

  it("is the message of any other error", () => {
    expect(getReadReason(new Error("the key is too short"))).toBe("the key is too short");
  });
});
