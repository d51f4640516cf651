import { isLoopback, isWildcard } from "../../../config/loopback.ts";

/** Returns whether two URLs have the same origin. All names of the loopback interface count as equal. */
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
