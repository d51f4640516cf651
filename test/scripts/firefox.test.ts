import { chmodSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { findFirefox } from "../../scripts/firefox.mjs";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");

describe("finding a Firefox", () => {
  it.skipIf(process.platform === "win32")(
    "takes the program of the PATH, else an extracted one, or only that of FIREFOX",
    async () => {
      const folder = await temporaryFolder();
      const program = join(folder, "firefox-esr");
      const extracted = await temporaryFolder();
      expect(findFirefox({ PATH: folder }, extracted)).toBeUndefined();
      const start = join(extracted, "start");
      for (const path of [program, start]) {
        writeFileSync(path, "#!/bin/sh\n");
        chmodSync(path, 0o755);
      }
      expect(findFirefox({ PATH: folder }, extracted)).toBe(program);
      expect(findFirefox({ PATH: "" }, extracted)).toBe(start);
      expect(findFirefox({ PATH: "", FIREFOX: program }, extracted)).toBe(program);
      expect(findFirefox({ PATH: folder, FIREFOX: join(folder, "missing") })).toBeUndefined();
    },
  );

  it("ends with an error that names the program and what to install", async () => {
    const missing = join(await temporaryFolder(), "missing");
    const script = 'import { ensureFirefox } from "./scripts/firefox.mjs"; await ensureFirefox();';
    const argv = [process.execPath, "--input-type=module", "--eval", script];
    const { code, stderr } = await runProgram(argv, { cwd: root, env: { ...process.env, FIREFOX: missing } });
    expect(code).toBe(1);
    expect(stderr).toContain(`FIREFOX=${missing} is not a program`);
    expect(stderr).toContain("apt-get install firefox-esr");
  });
});
