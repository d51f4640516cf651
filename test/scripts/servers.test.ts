import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findServer } from "../../scripts/servers.mjs";
import { temporaryFolder } from "../support/temporary-folder.ts";

function createPrograms(folder: string, ...names: string[]): string {
  mkdirSync(folder, { recursive: true });
  for (const name of names) {
    writeFileSync(join(folder, name), "#!/bin/sh\n");
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

describe("the servers of the tests", () => {
  it("are those on the PATH before extracted ones", async () => {
    const folder = await temporaryFolder();
    const extracted = join(folder, "extracted");
    createPrograms(join(extracted, "usr/bin"), "redis-server");
    const onPath = createPrograms(join(folder, "bin"), "redis-server");
    expect(findServer("redis", `${folder}:${onPath}`, extracted)).toEqual({ folder: onPath, env: {} });
  });

  it("find the libraries that were extracted with them", async () => {
    const folder = await temporaryFolder();
    const bin = createPrograms(join(folder, "usr/bin"), "redis-server");
    for (const name of ["usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu", "lib/systemd"])
      mkdirSync(join(folder, name), { recursive: true });
    expect(findServer("redis", "", folder)).toEqual({
      folder: bin,
      env: {
        LD_LIBRARY_PATH: ["usr/lib/x86_64-linux-gnu", "usr/lib", "lib/x86_64-linux-gnu", "lib"]
          .map((name) => join(folder, name))
          .join(":"),
      },
    });
  });

  it("name what to install where there are none", async () => {
    const folder = await temporaryFolder();
    expect(() => findServer("redis", "", folder)).toThrow(
      "Redis is not installed. Install it (Debian, Ubuntu: sudo apt-get install redis-server; macOS: brew install redis), then run: npm test",
    );
  });
});
