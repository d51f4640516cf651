/** Returns the URL that the proxy is reached by from this page, with the path prefix that a load balancer may add. */
export function baseUrl({ origin, pathname }: Pick<Location, "origin" | "pathname">): string {
  return `${origin}${pathname.replace(/\/+$/, "")}`;
}
