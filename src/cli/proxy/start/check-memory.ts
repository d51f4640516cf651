import { AppError } from "../../../errors.ts";

/**
 * Throws `overloaded` if the system refuses the address space that the HTTP client's WebAssembly parser reserves.
 * Without this check Node.js ends the process with a stack trace when the parser is first used.
 */
export function checkMemory(allocate: () => unknown = allocateWasm): void {
  try {
    allocate();
  } catch (cause) {
    throw new AppError(
      "overloaded",
      "Cannot start the HTTP client: the system refused address space for WebAssembly, which reserves about 10 GB without using it",
      {
        cause,
        hint: "Raise the limit of virtual memory (ulimit -v unlimited), or set NODE_OPTIONS=--disable-wasm-trap-handler.",
      },
    );
  }
}

/** The type definitions of Node.js lack `WebAssembly.Memory`. */
function allocateWasm(): unknown {
  return Reflect.construct(Reflect.get(WebAssembly, "Memory"), [{ initial: 1 }]);
}
