import { describe, expect, it } from "vitest";
import { createRemote, type Pipe, ProcessExitedError } from "../../../../src/cli/proxy/workers/remote.ts";
import { AppError } from "../../../../src/errors.ts";

/** Both ends of a pipe. Messages are copied as between processes. */
function createPipe() {
  const ends = [end(), end()] as const;
  let isOpen = true;
  const connected = (own: 0 | 1): Pipe => ({
    send(packet, sent) {
      if (isOpen) queueMicrotask(() => ends[own === 0 ? 1 : 0].packet(structuredClone(packet)));
      else sent(new Error("closed"));
    },
    onPacket(take) {
      ends[own].packet = take;
    },
    onClose(closed) {
      ends[own].closed = closed;
    },
  });
  return {
    near: connected(0),
    far: connected(1),
    close() {
      isOpen = false;
      for (const each of ends) each.closed();
    },
  };
}

function end() {
  return { packet: (_packet: unknown) => {}, closed: () => {} };
}

interface Kitchen {
  cook(dish: string): Promise<string>;
  taste(dish: string): string;
  burn(): void;
  refuse(): void;
}

function kitchen() {
  const begun: string[] = [];
  const own: Kitchen = {
    async cook(dish) {
      begun.push(dish);
      await new Promise((done) => setImmediate(done));
      return `warm ${dish}`;
    },
    taste: (dish) => `good ${dish}`,
    burn() {
      throw new TypeError("smoke");
    },
    refuse() {
      throw new AppError("port_in_use", "Port 1 in use", { hint: "Another one." });
    },
  };
  const pipe = createPipe();
  createRemote(pipe.far, own);
  return { begun, pipe, remote: createRemote<Kitchen>(pipe.near, {}) };
}

describe("functions of another process", () => {
  it("are called in order, and each resolves when it is done", async () => {
    const { remote, begun } = kitchen();
    const all = [remote.call("cook", "a"), remote.call("taste", "b"), remote.call("cook", "c")];
    expect(await Promise.all(all)).toEqual(["warm a", "good b", "warm c"]);
    expect(begun).toEqual(["a", "c"]);
  });

  it("throw the error of the other process", async () => {
    const { remote } = kitchen();
    await expect(remote.call("burn", undefined)).rejects.toThrow("smoke");
    const refused = await remote.call("refuse", undefined).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AppError);
    expect(refused).toMatchObject({ code: "port_in_use", message: "Port 1 in use", hint: "Another one." });
  });

  it("reject once the other process has ended, for earlier and later calls", async () => {
    const { remote, pipe } = kitchen();
    const before = remote.call("cook", "a");
    pipe.close();
    await expect(before).rejects.toBeInstanceOf(ProcessExitedError);
    await expect(remote.call("taste", "b")).rejects.toBeInstanceOf(ProcessExitedError);
  });
});
