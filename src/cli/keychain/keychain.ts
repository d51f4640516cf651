import { text } from "node:stream/consumers";
import { accessKeychain } from "../../config/keychain.ts";
import { AppError } from "../../errors.ts";
import type { Output } from "../output.ts";

export interface KeychainFlags {
  readonly json: boolean;
}

/** Runs `sallyport keychain set NAME`: stores the secret from stdin, or as typed at a prompt without echo. */
export async function setSecret(name: string, { json }: KeychainFlags, output: Output): Promise<number> {
  const secret = process.stdin.isTTY ? await readHidden(`Secret for ${name}: `) : await text(process.stdin);
  if (secret === undefined) return 130;
  const trimmed = secret.trim();
  if (trimmed === "")
    throw new AppError("usage", "No secret given", { hint: "Type it, or pass it on stdin." });
  await accessKeychain({ action: "store", name, secret: trimmed });
  output.note(`Stored "${name}" in the keychain. In the configuration: {"keychain": "${name}"}`);
  if (json) await output.result(JSON.stringify({ stored: name }));
  return 0;
}

/** Runs `sallyport keychain delete NAME`. */
export async function deleteSecret(name: string, { json }: KeychainFlags, output: Output): Promise<number> {
  await accessKeychain({ action: "delete", name });
  output.note(`Deleted "${name}" from the keychain.`);
  if (json) await output.result(JSON.stringify({ deleted: name }));
  return 0;
}

/**
 * Runs `sallyport keychain check NAME`: prints the length of a secret, but not the secret. Throws `keychain` if the
 * keychain does not have it.
 */
export async function checkSecret(name: string, { json }: KeychainFlags, output: Output): Promise<number> {
  const secret = (await accessKeychain({ action: "read", name })).trim();
  const found = { name, characters: secret.length };
  await output.result(
    json ? JSON.stringify(found) : `The keychain has the secret "${name}" (${secret.length} characters).`,
  );
  return 0;
}

/** Reads a line from the terminal without showing it. Resolves to undefined after Ctrl-C. */
async function readHidden(question: string): Promise<string | undefined> {
  const { stdin, stderr } = process;
  stderr.write(question);
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  let typed = "";
  try {
    for await (const chunk of stdin) {
      for (const character of String(chunk)) {
        if (character === "\u0003") return undefined;
        if (character === "\r" || character === "\n" || character === "\u0004") return typed;
        typed = character === "\u007f" || character === "\b" ? typed.slice(0, -1) : typed + character;
      }
    }
    return typed;
  } finally {
    stdin.setRawMode(false);
    stderr.write("\n");
  }
}
