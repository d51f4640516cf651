import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { accessKeychain, toKeychainCommand } from "../../src/config/keychain.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A `secret-tool` that stores secrets as files, because the keychain's service needs a desktop session. */
const SECRET_TOOL = `#!/bin/sh
case "$1" in
  store) cat > "$KEYS/$6" ;;
  lookup) cat "$KEYS/$5" ;;
  clear) rm "$KEYS/$5" ;;
esac
`;

async function withSecretTool(): Promise<void> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "secret-tool"), SECRET_TOOL);
  await chmod(join(folder, "secret-tool"), 0o755);
  vi.stubEnv("KEYS", folder);
  vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe("the keychain", () => {
  it("stores, reads and deletes a secret by its name", async () => {
    await withSecretTool();
    await accessKeychain({ action: "store", name: "anthropic", secret: "sk-1 'x' \"y\"" }, "linux");
    expect(await accessKeychain({ action: "read", name: "anthropic" }, "linux")).toBe("sk-1 'x' \"y\"");
    await accessKeychain({ action: "delete", name: "anthropic" }, "linux");
    await expect(accessKeychain({ action: "read", name: "anthropic" }, "linux")).rejects.toMatchObject({
      code: "keychain",
      message: 'The keychain has no secret "anthropic", or is locked',
      hint: "Unlock the keychain, or store the secret: sallyport keychain set anthropic",
    });
  });

  it("reports a missing program and what to install", async () => {
    vi.stubEnv("PATH", await temporaryFolder());
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(accessKeychain({ action: "read", name: "a" }, "linux")).rejects.toMatchObject({
      message: "Cannot use the keychain: secret-tool is not installed",
      hint: expect.stringContaining("libsecret-tools"),
    });
  });

  it("reports why a program that is installed cannot be run", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "secret-tool"), SECRET_TOOL, { mode: 0o600 });
    vi.stubEnv("PATH", folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(accessKeychain({ action: "read", name: "a" }, "linux")).rejects.toMatchObject({
      code: "keychain",
      message: "Cannot use the keychain: cannot run secret-tool: permission denied",
      hint: "Use { file } or { env } as the source of the secret.",
    });
  });

  it("leaves no timer behind if the program is missing, so that the command ends", async () => {
    vi.stubEnv("PATH", await temporaryFolder());
    onTestFinished(() => void vi.unstubAllEnvs());
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    await accessKeychain({ action: "read", name: "a" }, "linux").catch(() => undefined);
    expect(timers()).toBe(before);
  });

  it.each(["", "a b", "a'; rm -rf /", "-w", "x".repeat(65)])("refuses the name %j", async (name) => {
    await expect(accessKeychain({ action: "read", name }, "linux")).rejects.toMatchObject({ code: "usage" });
  });

  it.each(["linux", "darwin", "win32"] as const)("passes a secret on stdin alone: %s", (platform) => {
    const { args, stdin } = toKeychainCommand(
      { action: "store", name: "a", secret: "sk-very-secret" },
      platform,
    );
    expect(args.join(" ")).not.toContain("sk-very-secret");
    const hex = Buffer.from("sk-very-secret").toString("hex");
    expect(platform === "darwin" ? stdin.includes(hex) : stdin === "sk-very-secret").toBe(true);
  });
});
