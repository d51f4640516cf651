import { describe, expect, it } from "vitest";
import { getInheritedListener, withListener } from "../../../../src/cli/proxy/start/inherited-listener.ts";

describe("an inherited listening socket", () => {
  it.each([
    [{}, undefined],
    [{ LISTEN_FDS: "0" }, undefined],
    [{ LISTEN_FDS: "x" }, undefined],
    [{ LISTEN_FDS: "1", LISTEN_PID: "7" }, 3],
    [{ LISTEN_FDS: "1" }, 3],
    // The variables are for another process with the same environment.
    [{ LISTEN_FDS: "1", LISTEN_PID: "8" }, undefined],
  ])("of %j is descriptor %s", (environment, descriptor) => {
    expect(getInheritedListener(environment, 7)).toBe(descriptor);
  });

  it("is passed on to a process whose id is not known yet", () => {
    const environment = withListener({ LISTEN_FDS: "2", LISTEN_PID: "7", LISTEN_FDNAMES: "http", HOME: "/" });
    expect(environment).toEqual({
      LISTEN_FDS: "1",
      LISTEN_PID: undefined,
      LISTEN_FDNAMES: undefined,
      HOME: "/",
    });
    expect(getInheritedListener(environment, 9)).toBe(3);
  });
});
