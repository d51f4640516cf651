import http from "node:http";

/**
 * Returns whether a proxy accepts calls: /readyz responds, with 401 where it needs a key. Certificates are not checked,
 * because they name the host that clients use.
 */
export async function isReady(url: string): Promise<boolean> {
  const get = url.startsWith("https:") ? (await import("node:https")).get : http.get;
  return new Promise((resolve) => {
    const options = { agent: false, rejectUnauthorized: false, timeout: 2_000 };
    const request = get(new URL("/readyz", url), options, (response) => {
      resolve(response.statusCode === 200 || response.statusCode === 401);
      request.destroy();
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(false));
  });
}
