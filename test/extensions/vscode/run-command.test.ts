import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startReview, toProgram } from "../../../extensions/vscode/src/run-command.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Starts a review with a program that prints this text. */
async function startWith(output: string) {
  const folder = await temporaryFolder();
  const program = join(folder, "sallyport");
  await writeFile(program, `#!/bin/sh\ncat <<'END'\n${output}\nEND\n`);
  await chmod(program, 0o755);
  return startReview(program, folder);
}

describe.skipIf(process.platform === "win32")("the editor's start of a review", () => {
  it("resolves to the id and the URL that the command prints", async () => {
    const started = { id: "r1", url: "http://localhost:1" };
    expect(await startWith(JSON.stringify(started))).toEqual(started);
  });

  it.each(["usage: sallyport [-h]", "null", "{}"])("rejects if the command prints %j", async (output) => {
    await expect(startWith(output)).rejects.toThrow(/^The output of ".*sallyport" is not a review\. Set/);
  });
});

describe("the command of the extension", () => {
  it("runs in a shell on Windows, where npm installs a script", () => {
    expect(toProgram("C:\\Program Files\\npm\\sallyport.cmd", ["review", "code"], "win32")).toEqual({
      file: '"C:\\Program Files\\npm\\sallyport.cmd" review code',
      args: [],
      shell: true,
    });
    expect(toProgram("/opt/a b/sallyport", ["review"], "linux")).toEqual({
      file: "/opt/a b/sallyport",
      args: ["review"],
      shell: false,
    });
  });
});
