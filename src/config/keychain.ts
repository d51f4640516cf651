import { spawn } from "node:child_process";
import { once } from "node:events";
import { AppError, systemErrorCode } from "../errors.ts";
import { getReadReason } from "../files/read-reason.ts";

/** The service under which the system's keychain keeps Sallyport's secrets. */
const SERVICE = "sallyport";

/**
 * A program that reads, stores or deletes a secret. The secret to store is passed on stdin, because other users can see
 * the arguments of a process.
 */
export interface KeychainCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly stdin: string;
}

export type KeychainAction =
  | { readonly action: "read"; readonly name: string }
  | { readonly action: "delete"; readonly name: string }
  | { readonly action: "store"; readonly name: string; readonly secret: string };

/**
 * Returns the program of a platform's keychain: the Secret Service (GNOME Keyring, KWallet) through `secret-tool`, the
 * macOS keychain through `security`, the Windows Credential Manager through PowerShell. Pure.
 */
export function toKeychainCommand(wanted: KeychainAction, platform: NodeJS.Platform): KeychainCommand {
  if (platform === "darwin") return toMacCommand(wanted);
  return platform === "win32" ? toWindowsCommand(wanted) : toLinuxCommand(wanted);
}

function toLinuxCommand(wanted: KeychainAction): KeychainCommand {
  const attributes = ["service", SERVICE, "account", wanted.name];
  const program = "secret-tool";
  if (wanted.action === "read") return { program, args: ["lookup", ...attributes], stdin: "" };
  if (wanted.action === "delete") return { program, args: ["clear", ...attributes], stdin: "" };
  return {
    program,
    args: ["store", `--label=Sallyport: ${wanted.name}`, ...attributes],
    stdin: wanted.secret,
  };
}

function toMacCommand(wanted: KeychainAction): KeychainCommand {
  const program = "security";
  const item = ["-s", SERVICE, "-a", wanted.name];
  if (wanted.action === "read") return { program, args: ["find-generic-password", ...item, "-w"], stdin: "" };
  if (wanted.action === "delete") return { program, args: ["delete-generic-password", ...item], stdin: "" };
  // `-i` reads commands from stdin. -U replaces an item of that name; -X takes the secret in hexadecimal digits.
  const hex = Buffer.from(wanted.secret, "utf8").toString("hex");
  const line = `add-generic-password -U -s ${SERVICE} -a ${wanted.name} -X ${hex}\n`;
  return { program, args: ["-i"], stdin: line };
}

/**
 * The start of each script. `PasswordVault` is the only credential store that Windows PowerShell 5.1 can use without
 * additional modules.
 */
const VAULT =
  "[void][Windows.Security.Credentials.PasswordVault,Windows.Security.Credentials,ContentType=WindowsRuntime]; " +
  "$vault = New-Object Windows.Security.Credentials.PasswordVault; ";

function toWindowsCommand(wanted: KeychainAction): KeychainCommand {
  const item = `'${SERVICE}', '${wanted.name}'`;
  const script = {
    read: `$found = $vault.Retrieve(${item}); $found.RetrievePassword(); [Console]::Out.Write($found.Password)`,
    delete: `$vault.Remove($vault.Retrieve(${item}))`,
    store: `$vault.Add((New-Object Windows.Security.Credentials.PasswordCredential(${item}, [Console]::In.ReadToEnd())))`,
  }[wanted.action];
  return {
    program: "powershell.exe",
    args: ["-NoProfile", "-NonInteractive", "-Command", VAULT + script],
    stdin: wanted.action === "store" ? wanted.secret : "",
  };
}

/** Returns whether a name can be used in every keychain's command. */
function isKeychainName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name);
}

/**
 * Runs a keychain's program and resolves to its stdout. Throws `keychain` if the program fails or is missing, or if the
 * secret to read does not exist, and `usage` for an invalid name.
 */
export async function accessKeychain(
  wanted: KeychainAction,
  platform: NodeJS.Platform = process.platform,
): Promise<string> {
  if (!isKeychainName(wanted.name))
    throw new AppError("usage", `Invalid name of a secret: ${JSON.stringify(wanted.name)}`, {
      hint: "Use 1 to 64 letters, digits, dots, hyphens and underscores, and begin with a letter or digit.",
    });
  const { program, args, stdin } = toKeychainCommand(wanted, platform);
  const { code, stdout } = await run(program, args, stdin).catch((cause: unknown) => {
    throw cannotRun(program, cause, platform);
  });
  if (code === 0 && (wanted.action !== "read" || stdout.trim() !== "")) return stdout;
  if (wanted.action === "store")
    throw new AppError(
      "keychain",
      `Cannot store "${wanted.name}" in the keychain: ${program} ended with exit code ${code}`,
      {
        hint: "Unlock the keychain. An SSH session may have no keychain. In that case, keep the secret in a file.",
      },
    );
  throw new AppError("keychain", `The keychain has no secret "${wanted.name}", or is locked`, {
    hint: `Unlock the keychain, or store the secret: sallyport keychain set ${wanted.name}`,
  });
}

function cannotRun(program: string, cause: unknown, platform: NodeJS.Platform): AppError {
  const otherwise = "Use { file } or { env } as the source of the secret.";
  if (systemErrorCode(cause) === "ENOENT")
    return new AppError("keychain", `Cannot use the keychain: ${program} is not installed`, {
      cause,
      hint: MISSING_HINT[platform] ?? otherwise,
    });
  return new AppError("keychain", `Cannot use the keychain: cannot run ${program}: ${getReadReason(cause)}`, {
    cause,
    hint: otherwise,
  });
}

const MISSING_HINT: Partial<Record<NodeJS.Platform, string>> = {
  linux: "Install it (Debian: apt install libsecret-tools), or use a file with the secret.",
};

/** Time limit of a command, in milliseconds: the keychain may wait for the user to unlock it. */
const COMMAND_MS = 120_000;

/** Resolves to the exit code and stdout of a program. Rejects if the program cannot be started. */
async function run(
  program: string,
  args: readonly string[],
  stdin: string,
): Promise<{ readonly code: number; readonly stdout: string }> {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"], windowsHide: true });
  // Not spawn's `timeout` option: its timer keeps this process running if the program is missing.
  const timer = setTimeout(() => child.kill(), COMMAND_MS);
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stdin.on("error", () => {}).end(stdin);
  try {
    const [code]: (number | null)[] = await once(child, "close");
    return { code: code ?? 1, stdout };
  } finally {
    clearTimeout(timer);
  }
}
