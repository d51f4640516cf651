import { mkdir, realpath, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { pathWithin } from "../../../src/cli/review/code.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

it("accepts a path in the repository by its real or linked name, without resolving a link inside it", async () => {
  const folder = await realpath(await temporaryFolder());
  const root = join(folder, "repository");
  await mkdir(join(root, "src"), { recursive: true });
  await symlink(root, join(folder, "also"));
  await symlink(folder, join(root, "out"));
  const within = (path: string, directory = root) => pathWithin(root, directory, path);
  expect(within(join(folder, "also", "src", "new.ts"))).toBe("src/new.ts");
  expect(within("new.ts", join(root, "src"))).toBe("src/new.ts");
  expect(within("..", join(root, "src"))).toBe(".");
  expect(within("..notes")).toBe("..notes");
  expect(within("out")).toBe("out");
  for (const path of ["..", "../beside.ts", folder, join(folder, "also", "..", "x")]) {
    expect(() => within(path)).toThrow(/is not inside the repository/);
  }
});
