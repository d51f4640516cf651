import { describe, expect, it } from "vitest";
import { createOpenStreams, type OpenStream } from "../../../src/proxy/upstream/open-streams.ts";

function streamTo(stopped: string[], name: string): OpenStream {
  return { lastActivity: 0, index: -1, onSilence: () => {}, onStop: () => stopped.push(name) };
}

describe("the open streams", () => {
  const names = ["a", "b", "c", "d"];

  it.each([...names, "none"])("are notified of the stop, except %s, which was removed", (removed) => {
    const stopped: string[] = [];
    const open = createOpenStreams(() => 0);
    const streams = names.map((name) => streamTo(stopped, name));
    for (const stream of streams) open.add(stream);
    for (const [index, stream] of streams.entries()) if (names[index] === removed) open.delete(stream);
    open.stop();
    expect(stopped.toSorted()).toEqual(names.filter((name) => name !== removed));
  });

  it("contain a stream that was added twice only once, and ignore the removal of an unknown stream", () => {
    const stopped: string[] = [];
    const open = createOpenStreams(() => 0);
    const twice = streamTo(stopped, "twice");
    open.add(twice);
    open.add(twice);
    open.delete(streamTo(stopped, "never there"));
    open.stop();
    expect(stopped).toEqual(["twice"]);
  });

  it("keep their indexes valid while others are added and removed in any order", () => {
    const stopped: string[] = [];
    const open = createOpenStreams(() => 0);
    const streams = Array.from({ length: 50 }, (_, index) => streamTo(stopped, String(index)));
    for (const stream of streams) open.add(stream);
    // Every third stream is removed, alternately from both ends, and one of them is added again.
    const going = streams.filter((_, index) => index % 3 === 0);
    while (going.length > 0) {
      for (const stream of [going.shift(), going.pop()]) if (stream) open.delete(stream);
    }
    const [back] = streams;
    if (back) open.add(back);
    open.stop();
    const left = streams.map((_, index) => index).filter((index) => index % 3 !== 0 || index === 0);
    expect(stopped.map(Number).toSorted((one, other) => one - other)).toEqual(left);
  });
});
