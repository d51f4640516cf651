import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import { AppError } from "../../errors.ts";
import { getReadReason } from "../../files/read-reason.ts";
import { secretSource } from "./value-schemas.ts";

/** `proxy.tls`, the settings of the HTTPS listener. Without them, the proxy serves HTTP. */
export const tlsSettings = z
  .strictObject({
    cert: z
      .string()
      .min(1)
      .describe("PEM file with the certificate, followed by the intermediate certificates."),
    key: z
      .union([z.string().min(1), secretSource], {
        error: "must be a file, { env }, { file }, { keychain } or { command, ttl }",
      })
      .describe("PEM file with the private key of the certificate, or the source of its text."),
  })
  .optional()
  .describe("Serves HTTPS instead of HTTP. The files are read again when they change.");

export type TlsSettings = z.infer<typeof tlsSettings>;

/** The certificate chain and private key of the listener, as PEM. */
export interface TlsConfig {
  readonly cert: string;
  readonly key: string;
}

/**
 * Returns the path of the certificate's file, then that of the key's file unless `key` is the source of a secret.
 * Relative paths are resolved against the configuration's folder.
 */
export function tlsFiles(tls: TlsSettings, folder: string): string[] {
  if (tls === undefined) return [];
  const { cert, key } = tls;
  return [cert, ...(typeof key === "string" ? [key] : [])].map((path) => resolve(folder, path));
}

/**
 * Reads the certificate and the key, and checks that they belong together. `secretKey` is the key's text if `tls.key`
 * is the source of a secret. Throws `configuration` with the file or setting, the reason and the remedy.
 */
export async function readTls(
  tls: TlsSettings,
  folder: string,
  secretKey: string | undefined,
): Promise<TlsConfig | undefined> {
  if (tls === undefined) return undefined;
  const [certFile = "", keyFile] = tlsFiles(tls, folder);
  const cert = await readPem(certFile, "certificate", "cert");
  const key = keyFile === undefined ? (secretKey ?? "") : await readPem(keyFile, "private key", "key");
  const keyName = keyFile === undefined ? "proxy.tls.key" : keyFile;
  if (!parseCertificate(cert, certFile).checkPrivateKey(parseKey(key, keyName)))
    throw new AppError(
      "configuration",
      `The private key ${keyName} does not belong to the certificate ${certFile}`,
      {
        hint: "Set proxy.tls.key to the key that the certificate was issued for.",
      },
    );
  return { cert, key };
}

async function readPem(path: string, what: string, member: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new AppError("configuration", `Cannot read the ${what} ${path}: ${getReadReason(error)}`, {
      cause: error,
      hint: `Correct proxy.tls.${member}, or make the file readable for the user who runs the proxy.`,
    });
  }
}

function parseCertificate(pem: string, path: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new AppError("configuration", `${path} is not a certificate in PEM format`, {
      cause,
      hint: "Set proxy.tls.cert to a file that begins with -----BEGIN CERTIFICATE-----.",
    });
  }
}

function parseKey(pem: string, name: string): KeyObject {
  if (pem.includes("ENCRYPTED"))
    throw new AppError("configuration", `The private key ${name} is encrypted`, {
      hint: "Decrypt it, for example with openssl pkey -in KEY -out NEW_KEY, and restrict the file to your user.",
    });
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new AppError("configuration", `${name} is not a private key in PEM format`, {
      cause,
      hint: "Set proxy.tls.key to a file that begins with -----BEGIN PRIVATE KEY-----.",
    });
  }
}
