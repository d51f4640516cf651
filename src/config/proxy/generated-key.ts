import { randomBytes } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError, getErrorMessage, systemErrorCode } from "../../errors.ts";
import { makeFolders } from "../../files/make-folders.ts";
import { getReadReason } from "../../files/read-reason.ts";

/** Returns a new key of 256 random bits. */
export function newKey(): string {
  return `sk-sallyport-${randomBytes(32).toString("base64url")}`;
}

/** Returns the path of the key that the proxy created. */
export function generatedKeyFile(dataDirectory: string): string {
  return join(dataDirectory, "proxy", "key");
}

/**
 * Returns the stored key; undefined if the file is missing, or its text is shorter than 16 characters. Throws
 * `unreadable`.
 */
export async function readGeneratedKey(dataDirectory: string): Promise<string | undefined> {
  try {
    const key = (await readFile(generatedKeyFile(dataDirectory), "utf8")).trim();
    return key.length >= 16 ? key : undefined;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw new AppError(
      "unreadable",
      `Cannot read the key file ${generatedKeyFile(dataDirectory)}: ${getReadReason(error)}`,
      { cause: error, hint: "Make it readable, or remove it: the proxy then creates another key." },
    );
  }
}

/** A stored key, and whether it was created just now. */
export interface KeptKey {
  readonly key: string;
  readonly isNew: boolean;
}

/**
 * Creates a key and stores it with mode 0600. If another proxy has stored a key at the same time, returns
 * that key. Throws `storage`.
 */
export async function keepNewKey(dataDirectory: string): Promise<KeptKey> {
  const path = generatedKeyFile(dataDirectory);
  const key = newKey();
  const temporary = `${path}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    await makeFolders(dirname(path), 0o700);
    await writeFile(temporary, `${key}\n`, { mode: 0o600, flag: "wx" });
    if (await hasLinked(temporary, path)) return { key, isNew: true };
    const others = await readGeneratedKey(dataDirectory);
    if (others !== undefined) return { key: others, isNew: false };
    await rename(temporary, path);
    return { key, isNew: true };
  } catch (error) {
    throw new AppError("storage", `Cannot store the new key in ${path}: ${getErrorMessage(error)}`, {
      cause: error,
      hint: "Make the folder writable, set SERVICE_HOME to another folder, or list a key in proxy.api_keys.",
    });
  } finally {
    await rm(temporary, { force: true }).catch(() => {});
  }
}

/** Links a file to its name atomically; returns false if the name exists or the file system has no hard links. */
async function hasLinked(temporary: string, path: string): Promise<boolean> {
  return link(temporary, path).then(
    () => true,
    () => false,
  );
}
