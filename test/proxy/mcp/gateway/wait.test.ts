import { expect, it } from "vitest";
import { AppError } from "../../../../src/errors.ts";
import { keepOpen, type StreamEnd } from "../../../../src/proxy/mcp/gateway/wait.ts";

/** Opens streams that end in these ways. Returns the seconds before each further one. */
async function waitsBetween(...ends: readonly (StreamEnd | Error)[]): Promise<readonly number[]> {
  const left = [...ends];
  const waits: number[] = [];
  const open = async (): Promise<StreamEnd> => {
    const end = left.shift() ?? "unavailable";
    if (end instanceof Error) throw end;
    return end;
  };
  await keepOpen(open, new AbortController().signal, async (ms) => void waits.push(ms / 1000));
  return waits;
}

it("opens a server's stream again, after longer waits while it fails", async () => {
  const lost = new AppError("upstream_cut", "the connection was lost");
  expect(await waitsBetween("failed", lost, "failed", "failed", "failed", "failed", lost)).toEqual([
    1, 2, 4, 8, 16, 32, 60,
  ]);
});

it("waits one second after a stream that had begun, however often streams end", async () => {
  expect(await waitsBetween("failed", "failed", "ended", "ended", "ended")).toEqual([1, 2, 1, 1, 1]);
});

it("does not open a stream again that the server does not have, or after a defect", async () => {
  expect(await waitsBetween("unavailable", "ended")).toEqual([]);
  expect(await waitsBetween("ended", new TypeError("defect"), "ended")).toEqual([1]);
});
