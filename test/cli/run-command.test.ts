import { describe, expect, it } from "vitest";
import { runCommand } from "../../src/cli/run-command.ts";

describe("runCommand", () => {
  it("resolves to the exit code and the output of the program", async () => {
    const script = "console.log(1); console.error(2); process.exitCode = 3";
    expect(await runCommand(process.execPath, ["-e", script])).toEqual({
      code: 3,
      stdout: "1\n",
      stderr: "2\n",
    });
  });

  it("resolves without an exit code if the program is missing or an argument is invalid", async () => {
    expect((await runCommand("sallyport-missing", [])).code).toBeUndefined();
    expect(await runCommand(process.execPath, ["a\0b"])).toEqual({
      code: undefined,
      stdout: "",
      stderr: expect.stringContaining("null bytes"),
    });
  });
});
