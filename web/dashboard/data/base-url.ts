/** Returns the URL of the proxy as seen from this page, with the path prefix that a load balancer may add. */
export function baseUrl({ origin, pathname }: Pick<Location, "origin" | "pathname">): string {
  return `${origin}${pathname.replace(/\/+$/, "")}`;
}
