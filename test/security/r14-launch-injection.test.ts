import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openBrowser } from "../../src/cli/review/browser.ts";
import { noteAddress, saveToNoteApp } from "../../src/review/plan/save/save-copies.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const plan = "# Dig\n";

describe("R14 the note application", () => {
  it("receives the plan as text, whatever it contains", () => {
    const address = new URL(noteAddress('# A & B\n"; rm -rf / #&open_note=yes'));
    expect(address.protocol).toBe("bear:");
    expect(address.searchParams.get("title")).toBe("A & B");
    expect(address.searchParams.get("text")).toBe('# A & B\n"; rm -rf / #&open_note=yes');
    expect(address.searchParams.getAll("open_note")).toEqual(["no"]);
  });

  it("is not offered on other systems", async () => {
    await expect(saveToNoteApp(plan, "linux")).rejects.toThrow(/macOS/);
  });
});

describe("R14 a browser", () => {
  it("is started by program name, never as a command line", async () => {
    const folder = await temporaryFolder();
    const program = join(folder, 'my "browser" & touch owned;');
    await mkdir(join(folder, "seen"));
    await writeFile(
      program,
      `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > '${folder}/seen/tmp' && mv '${folder}/seen/tmp' '${folder}/seen/done'\n`,
    );
    await chmod(program, 0o755);
    await openBrowser({ how: "program", program }, "http://localhost:1/?a=$(touch owned)&b", () => {});
    const seen = async (): Promise<string> =>
      readFile(join(folder, "seen", "done"), "utf8").catch(
        () => new Promise((resolve) => setTimeout(() => resolve(seen()), 10)),
      );
    expect(await seen()).toBe("1\nhttp://localhost:1/?a=$(touch owned)&b\n");
  });
});
