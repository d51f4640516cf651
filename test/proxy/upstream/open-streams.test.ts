import { describe, expect, it } from "vitest";
import { createOpenStreams, type OpenStream } from "../../../src/proxy/upstream/open-streams.ts";

function streamTo(told: string[], name: string): OpenStream {
  return { lastActivity: 0, index: -1, onSilence: () => {}, onStop: () => told.push(name) };
}

describe("the streams that are open", () => {
  const names = ["a", "b", "c", "d"];

  it.each([...names, "none"])("are told of the end, but for %s, which has gone", (gone) => {
    const told: string[] = [];
    const open = createOpenStreams(() => 0);
    const streams = names.map((name) => streamTo(told, name));
    for (const stream of streams) open.add(stream);
    for (const [index, stream] of streams.entries()) if (names[index] === gone) open.delete(stream);
    open.stop();
    expect(told.toSorted()).toEqual(names.filter((name) => name !== gone));
  });

  it("count one that comes twice once, and let one go that was never there", () => {
    const told: string[] = [];
    const open = createOpenStreams(() => 0);
    const twice = streamTo(told, "twice");
    open.add(twice);
    open.add(twice);
    open.delete(streamTo(told, "never there"));
    open.stop();
    expect(told).toEqual(["twice"]);
  });

  it("keep their places as others come and go in any order", () => {
    const told: string[] = [];
    const open = createOpenStreams(() => 0);
    const streams = Array.from({ length: 50 }, (_, index) => streamTo(told, String(index)));
    for (const stream of streams) open.add(stream);
    // Every third goes, from both ends by turns, and one of them comes back.
    const going = streams.filter((_, index) => index % 3 === 0);
    while (going.length > 0) {
      for (const stream of [going.shift(), going.pop()]) if (stream) open.delete(stream);
    }
    const [back] = streams;
    if (back) open.add(back);
    open.stop();
    const left = streams.map((_, index) => index).filter((index) => index % 3 !== 0 || index === 0);
    expect(told.map(Number).toSorted((one, other) => one - other)).toEqual(left);
  });
});
