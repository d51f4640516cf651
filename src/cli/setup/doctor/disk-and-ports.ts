import { randomBytes } from "node:crypto";
import { rm, stat, writeFile } from "node:fs/promises";
import http from "node:http";
import type https from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { isWildcard } from "../../../config/loopback.ts";
import { getErrorMessage } from "../../../errors.ts";
import { makeFolders } from "../../../files/make-folders.ts";
import type { Finding } from "./finding.ts";

/** Bytes that the check writes: the size of a short plan. */
const TRIAL_BYTES = 16_384;

/**
 * Creates the data directory if it is missing. Checks that a file can be written in it and, except on Windows, that
 * other users have no access to it.
 */
export async function dataFinding(folder: string, platform: NodeJS.Platform): Promise<Finding> {
  const subject = "data directory";
  const trial = join(folder, `.doctor-${randomBytes(6).toString("hex")}`);
  try {
    await makeFolders(folder, 0o700);
    // Empty files can be created on a full disk.
    await writeFile(trial, "x".repeat(TRIAL_BYTES));
    await rm(trial);
    const { mode } = await stat(folder);
    if (platform === "win32" || (mode & 0o077) === 0) return { subject, state: "ok", detail: folder };
    const remedy = `Restrict it to your user: chmod 700 "${folder}"`;
    return { subject, state: "warning", detail: `${folder} can be read by others`, remedy };
  } catch (error) {
    const remedy = "Make it writable and free space in it, or set SERVICE_HOME to another folder.";
    return { subject, state: "broken", detail: `${folder}: ${getErrorMessage(error)}`, remedy };
  }
}

/** A port, and the address on which a server would listen. */
export interface PortToCheck {
  readonly port: number;
  /** The default is 127.0.0.1. */
  readonly host?: string;
}

/**
 * Checks a port. `owner` returns a description of the server on the port if the server belongs to Sallyport.
 */
export async function portFinding(
  subject: string,
  checked: PortToCheck,
  remedy: string,
  owner: (checked: PortToCheck) => Promise<string | undefined>,
): Promise<Finding> {
  const { port } = checked;
  if (!(await isTaken(checked))) return { subject, state: "ok", detail: `${port} is free` };
  const name = await owner(checked);
  if (name !== undefined) return { subject, state: "ok", detail: `${port}: ${name}` };
  return { subject, state: "warning", detail: `${port} is in use by another program`, remedy };
}

/**
 * Returns a description of the proxy if it responds to a health check on this port, or undefined otherwise.
 */
export async function proxyOn(checked: PortToCheck): Promise<string | undefined> {
  const status =
    (await healthStatus(http.get, checked)) ??
    (await healthStatus((await import("node:https")).get, checked));
  // With `auth_mode` "strict" the health check requires a key, so a 401 also shows that the proxy runs.
  return status === 200 || status === 401 ? "the proxy is running" : undefined;
}

/** Returns the status of the health check; undefined if nothing responds by this protocol. */
function healthStatus(get: typeof https.get, checked: PortToCheck): Promise<number | undefined> {
  return new Promise((resolve) => {
    // The certificate is not verified, because it names the host that clients use, not this address.
    const options = {
      ...toTarget(checked),
      ...{ path: "/healthz", agent: false, rejectUnauthorized: false },
    };
    const request = get({ ...options, timeout: 2000 }, (response) => {
      resolve(response.statusCode);
      request.destroy();
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(undefined));
  });
}

function isTaken(checked: PortToCheck): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ ...toTarget(checked), timeout: 2000 });
    const end = (taken: boolean) => {
      socket.destroy();
      resolve(taken);
    };
    socket.on("connect", () => end(true));
    socket.on("timeout", () => end(false));
    socket.on("error", () => end(false));
  });
}

/** Returns the address to connect to: a server on all addresses also listens on loopback. */
function toTarget({ port, host = LOOPBACK }: PortToCheck): Required<PortToCheck> {
  return { port, host: isWildcard(host) ? LOOPBACK : host };
}

const LOOPBACK = "127.0.0.1";
