import { expect, it } from "vitest";
import { checkMemory } from "../../../src/cli/proxy/program.ts";

it("states why the proxy cannot start without address space, and the remedy", () => {
  expect(() => checkMemory()).not.toThrow();
  const refuse = () => {
    throw new RangeError("WebAssembly.Memory(): could not allocate memory");
  };
  expect(() => checkMemory(refuse)).toThrow(
    expect.objectContaining({ code: "overloaded", hint: expect.stringContaining("ulimit -v") }),
  );
});
