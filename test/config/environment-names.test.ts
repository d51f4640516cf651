import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { getNameInUse, loadEnvironmentFile, withOwnNames } from "../../src/config/paths.ts";
import { readReviewEnvironment } from "../../src/config/review/environment.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("a variable SALLYPORT_…", () => {
  it("sets the SERVICE_… variable, and takes precedence over it", () => {
    const environment = withOwnNames({
      SALLYPORT_PORT: "1234",
      SERVICE_PORT: "1",
      SERVICE_HOST: "::1",
      HOME: "/",
    });
    expect(readReviewEnvironment(environment)).toMatchObject({ port: 1234, host: "::1" });
    expect(environment["HOME"]).toBe("/");
  });

  it("is the one that an error names", () => {
    const environment = withOwnNames({ SALLYPORT_PORT: "abc" });
    expect(() => readReviewEnvironment(environment)).toThrow("SALLYPORT_PORT must be a port");
    expect(getNameInUse({ SERVICE_PORT: "1" }, "SERVICE_PORT")).toBe("SERVICE_PORT");
  });
});

describe("an environment file", () => {
  it("sets variables that are not set", async () => {
    const path = join(await temporaryFolder(), ".env");
    await writeFile(path, '# keys\nTEST_NEW="a b"\nTEST_OLD=file\n');
    vi.stubEnv("TEST_OLD", "shell");
    vi.stubEnv("TEST_NEW", undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    await loadEnvironmentFile(path);
    expect([process.env["TEST_NEW"], process.env["TEST_OLD"]]).toEqual(["a b", "shell"]);
  });

  it("that cannot be read is an error of the configuration", async () => {
    await expect(loadEnvironmentFile("/nowhere/.env")).rejects.toMatchObject({ code: "configuration" });
  });
});
