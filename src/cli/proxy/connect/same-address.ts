const LOOPBACK =
  /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\]|\[::ffff:7f00:\d+\]|0\.0\.0\.0|\[::\])$/;

/** Whether two URLs lead to one server, the many names of this machine's loopback taken as one. */
export function isSameAddress(one: string, other: string): boolean {
  const [first, second] = [new URL(one), new URL(other)];
  if (portOf(first) !== portOf(second)) return false;
  return (
    first.hostname === second.hostname || (LOOPBACK.test(first.hostname) && LOOPBACK.test(second.hostname))
  );
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === "https:" ? "443" : "80");
}
