import type { Environment } from "../../../config/paths.ts";

/** The first file descriptor of inherited sockets: `SD_LISTEN_FDS_START` of sd_listen_fds(3). */
const FIRST_INHERITED = 3;

/**
 * Returns the descriptor of a listening socket that this process was started with, by the protocol of sd_listen_fds(3):
 * from a systemd socket unit, or from the proxy that this one replaces, which leaves LISTEN_PID unset because it cannot
 * know the new process's id. Returns undefined if there is none. Pure.
 */
export function getInheritedListener(environment: Environment, pid: number): number | undefined {
  const { LISTEN_FDS: count, LISTEN_PID: owner } = environment;
  if (count === undefined || !/^[1-9]\d*$/.test(count)) return undefined;
  if (owner !== undefined && owner !== String(pid)) return undefined;
  return FIRST_INHERITED;
}

/** Returns the environment of a process that inherits one listening socket. */
export function withListener(environment: Environment): Environment {
  return { ...environment, LISTEN_FDS: "1", LISTEN_PID: undefined, LISTEN_FDNAMES: undefined };
}
