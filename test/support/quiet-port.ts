import { createServer } from "node:net";

/**
 * Returns a free port outside of the ranges that systems assign and reviews prefer, so that no other program takes it
 * first.
 */
export async function quietPort(): Promise<number> {
  for (;;) {
    const port = 11_000 + Math.floor(Math.random() * 8_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}
