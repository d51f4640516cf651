/** Returns the value of the header `Allow` for the methods of a path: the methods, and `HEAD` after `GET`. */
export function toAllowHeader(methods: readonly string[]): string {
  return methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
}
