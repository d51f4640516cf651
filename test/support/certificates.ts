import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** The certificate and key of a TLS server, as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateOptions {
  /** The host name of the certificate. */
  readonly host: string;
  readonly from: Date;
  readonly until: Date;
}

const DAY = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY);
/** Valid now, and on a machine whose clock differs slightly. */
export const VALID = { from: inDays(-2), until: inDays(2) };
export const EXPIRED = { from: inDays(-20), until: inDays(-10) };
export const NOT_YET = { from: inDays(10), until: inDays(20) };

/** An authority made for one test, and certificates that it signs (X.509, RFC 5280; ECDSA on P-256, RFC 5758). */
export function makeAuthority(name: string) {
  const own = newKeys();
  const authority = { name, key: own.privateKey };
  return {
    cert: signed(authority, name, own.publicKey, VALID, [BASIC_CONSTRAINTS_CA]),
    issue({ host, ...validity }: CertificateOptions): Certificate {
      const keys = newKeys();
      const cert = signed(authority, host, keys.publicKey, validity, [alternativeName(host)]);
      return { cert, key: pemOf(keys.privateKey) };
    },
  };
}

/** A self-signed certificate. */
export function selfSigned(host: string): Certificate {
  const { publicKey, privateKey } = newKeys();
  const cert = signed({ name: host, key: privateKey }, host, publicKey, VALID, [alternativeName(host)]);
  return { cert, key: pemOf(privateKey) };
}

const newKeys = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
const pemOf = (key: KeyObject) => key.export({ type: "pkcs8", format: "pem" }).toString();

function signed(
  issuer: { readonly name: string; readonly key: KeyObject },
  subject: string,
  publicKey: KeyObject,
  validity: { readonly from: Date; readonly until: Date },
  extensions: readonly Buffer[],
): string {
  const body = sequence(
    der(0xa0, integer(2)),
    integer(++serial),
    ECDSA_WITH_SHA256,
    nameOf(issuer.name),
    sequence(time(validity.from), time(validity.until)),
    nameOf(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", body, issuer.key));
  const lines =
    sequence(body, ECDSA_WITH_SHA256, signature)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

let serial = 0;

/** One value in the distinguished encoding rules (X.690); nothing here is longer than 64 KiB. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts);
const integer = (value: number) => der(0x02, Buffer.from([value]));
const identifier = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
/** `YYMMDDHHMMSSZ` */
const time = (date: Date) => der(0x17, Buffer.from(`${date.toISOString().replace(/\D/g, "").slice(2, 14)}Z`));
const nameOf = (name: string) =>
  sequence(der(0x31, sequence(identifier("550403"), der(0x0c, Buffer.from(name)))));
const extension = (id: string, value: Buffer) => sequence(identifier(id), der(0x04, value));

const ECDSA_WITH_SHA256 = sequence(identifier("2a8648ce3d040302"));
const BASIC_CONSTRAINTS_CA = extension("551d13", sequence(der(0x01, Buffer.from([0xff]))));
const alternativeName = (host: string) => extension("551d11", sequence(der(0x82, Buffer.from(host))));
