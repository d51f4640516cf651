import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { readTls } from "../../../src/config/proxy/tls.ts";
import { selfSigned } from "../../support/certificates.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const one = selfSigned("one.test");
const other = selfSigned("other.test");
const encrypted = generateKeyPairSync("ec", {
  namedCurve: "P-256",
  privateKeyEncoding: { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "secret" },
  publicKeyEncoding: { type: "spki", format: "pem" },
}).privateKey;

let folder = "";
beforeEach(async () => {
  folder = await temporaryFolder();
  const files = {
    "one.crt": one.cert,
    "one.key": one.key,
    "other.key": other.key,
    "encrypted.key": encrypted,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
});

describe("the certificate of proxy.tls", () => {
  it("is read from paths relative to the configuration file", async () => {
    expect(await readTls({ cert: "one.crt", key: "one.key" }, folder, undefined)).toEqual(one);
  });

  it("takes its key from a secret's source", async () => {
    expect(await readTls({ cert: "one.crt", key: { env: "KEY" } }, folder, one.key)).toEqual(one);
  });

  it.each([
    [
      "missing.crt",
      "one.key",
      "Cannot read the certificate FOLDER/missing.crt: no such file",
      "proxy.tls.cert",
    ],
    [
      "one.crt",
      "missing.key",
      "Cannot read the private key FOLDER/missing.key: no such file",
      "proxy.tls.key",
    ],
    [".", "one.key", "Cannot read the certificate FOLDER: it is a folder", "proxy.tls.cert"],
    ["one.key", "one.key", "FOLDER/one.key is not a certificate in PEM format", "BEGIN CERTIFICATE"],
    ["one.crt", "one.crt", "FOLDER/one.crt is not a private key in PEM format", "BEGIN PRIVATE KEY"],
    ["one.crt", "encrypted.key", "The private key FOLDER/encrypted.key is encrypted", "openssl pkey"],
    [
      "one.crt",
      "other.key",
      "The private key FOLDER/other.key does not belong to the certificate FOLDER/one.crt",
      "issued for",
    ],
  ])("cannot be %s with the key %s", async (cert, key, message, remedy) => {
    const error = await readTls({ cert, key }, folder, undefined).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "configuration", message: message.replaceAll("FOLDER", folder) });
    expect(error.hint).toContain(remedy);
  });
});
