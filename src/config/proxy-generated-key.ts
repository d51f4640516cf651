import { randomBytes } from "node:crypto";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError, messageOf, systemErrorCode } from "../errors.ts";
import { makeFolders } from "./make-folders.ts";

/** A key that is nobody else's: 256 random bits. */
export function newKey(): string {
  return `sk-sallyport-${randomBytes(32).toString("base64url")}`;
}

/** Where the key that the proxy made for itself is kept. */
export function generatedKeyFile(dataDirectory: string): string {
  return join(dataDirectory, "proxy", "key");
}

/** The key made on an earlier start, or undefined. */
export async function readGeneratedKey(dataDirectory: string): Promise<string | undefined> {
  try {
    const key = (await readFile(generatedKeyFile(dataDirectory), "utf8")).trim();
    return key.length >= 16 ? key : undefined;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw new AppError(
      "unreadable",
      `The key file ${generatedKeyFile(dataDirectory)} cannot be read: ${messageOf(error)}`,
      { cause: error, hint: "Make it readable, or remove it: the proxy then makes another key." },
    );
  }
}

/** Makes a key and keeps it where only the user can read it. Throws `storage`. */
export async function keepNewKey(dataDirectory: string): Promise<string> {
  const path = generatedKeyFile(dataDirectory);
  const key = newKey();
  try {
    await makeFolders(dirname(path), 0o700);
    await writeFile(path, `${key}\n`, { mode: 0o600 });
    await chmod(path, 0o600);
  } catch (error) {
    throw new AppError("storage", `The new key cannot be kept in ${path}: ${messageOf(error)}`, {
      cause: error,
      hint: "Make the folder writable, name another one with SERVICE_HOME, or list a key in proxy.api_keys.",
    });
  }
  return key;
}
