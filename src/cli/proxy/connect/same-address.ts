import { isLoopback, isWildcard } from "../../../config/loopback.ts";

/** Whether two URLs lead to one server, the many names of this machine's loopback taken as one. */
export function isSameAddress(one: string, other: string): boolean {
  const [first, second] = [new URL(one), new URL(other)];
  if (portOf(first) !== portOf(second)) return false;
  return (
    first.hostname === second.hostname ||
    (leadsToLoopback(first.hostname) && leadsToLoopback(second.hostname))
  );
}

function leadsToLoopback(hostname: string): boolean {
  return isLoopback(hostname) || isWildcard(hostname) || /.\.localhost$/.test(hostname);
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === "https:" ? "443" : "80");
}
