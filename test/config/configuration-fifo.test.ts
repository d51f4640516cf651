import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readConfigurationFile } from "../../src/config/load.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

it.runIf(process.platform !== "win32")(
  "refuses a configuration that is a FIFO instead of waiting",
  async () => {
    const folder = await temporaryFolder();
    const [fifo, file] = [join(folder, "fifo.json"), join(folder, "config.json")];
    execFileSync("mkfifo", [fifo]);
    await writeFile(file, "{}");
    await expect(readConfigurationFile(fifo, false)).rejects.toMatchObject({
      code: "configuration",
      message: expect.stringContaining("is not a regular file"),
    });
    expect((await readConfigurationFile(file, true))?.value).toEqual({});
  },
);
